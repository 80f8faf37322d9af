package io.multimed.middleware.dispatcher;

import io.multimed.middleware.node.ComputationalNode;
import io.multimed.middleware.propagation.Publisher;
import io.multimed.protocol.Response;
import io.multimed.protocol.SessionStatus;

/** What one client is told of its session's work on the master, and when. */
final class MasterAnswers {
    private final Dispatcher dispatcher;
    private final TransactionState transaction;

    MasterAnswers(Dispatcher dispatcher, TransactionState transaction) {
        this.dispatcher = dispatcher;
        this.transaction = transaction;
    }

    void count(Work work) {
        (work.verdict().isPureRead() ? node().reads() : node().updates()).increment();
    }

    /** At once, or when all that the work may have seen is published. */
    void tellWhenPublished(Reply reply, Response response) {
        dispatcher.master().sight().whenPublished(() -> reply.send(response), () -> reply.send(lost()));
    }

    Response lost() {
        return error(Publisher.lost());
    }

    /** @param scn of what the client has committed or seen; 0 if that is not known */
    SessionStatus status(long scn) {
        return transaction.status(node().ordinal(), scn);
    }

    Response error(Exception failure) {
        return error(failure, status(0));
    }

    Response error(Exception failure, SessionStatus status) {
        return Errors.report(failure, node().name(), status);
    }

    private ComputationalNode node() {
        return dispatcher.master().node();
    }
}
