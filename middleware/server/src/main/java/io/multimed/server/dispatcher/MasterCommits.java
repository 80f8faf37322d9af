package io.multimed.server.dispatcher;

import io.multimed.engine.extraction.CertifyingExtractor;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.node.Lease;
import java.sql.SQLException;
import java.util.function.Function;

/** The way of one client's transactions into the commit order. */
final class MasterCommits {
    private final Dispatcher dispatcher;
    private final TransactionState transaction;
    private final MasterSession session;
    private final MasterAnswers answers;

    MasterCommits(Dispatcher dispatcher, TransactionState transaction, MasterSession session, MasterAnswers answers) {
        this.dispatcher = dispatcher;
        this.transaction = transaction;
        this.session = session;
        this.answers = answers;
    }

    /** Into the commit order; from there on the lease is the commit's, unless the session keeps it. */
    void order(Lease lease, Receipt receipt, Reply reply, boolean alone, Function<SessionStatus, Response> answer) {
        order(lease, receipt, reply, alone, answer, () -> {});
    }

    /** @param failing called if the commit has failed */
    void order(
            Lease lease,
            Receipt receipt,
            Reply reply,
            boolean alone,
            Function<SessionStatus, Response> answer,
            Runnable failing) {
        SessionFate fate = session.fate();
        WriteSetExtractor extractor = extractor(alone);
        transaction.end();
        MasterCommit.Outcome outcome = new MasterCommit.Outcome() {
            @Override
            public void committed(Scn scn) {
                reply.send(answer.apply(answers.status(scn.value())));
            }

            @Override
            public void changed(WriteSet writeSet) {
                dispatcher.noteSchema(writeSet);
            }

            @Override
            public void failed(SQLException cause) {
                failing.run();
                reply.send(answers.error(cause));
            }
        };
        dispatcher
                .master()
                .order()
                .commit(new MasterCommit(
                        lease, () -> settle(lease, fate, alone), extractor, receipt, fate, alone, outcome));
    }

    /**
     * Returns the extractor; one that certifies if the engine leaves this to Multimed, and the transaction may have
     * read before it wrote.
     */
    private WriteSetExtractor extractor(boolean alone) {
        WriteSetExtractor plain = dispatcher.master().extractor();
        return alone || !transaction.mayHaveReadBefore()
                ? plain
                : dispatcher
                        .master()
                        .certifier()
                        .map(certifier -> certifier.certification(transaction.seen()))
                        .<WriteSetExtractor>map(check -> new CertifyingExtractor(plain, check))
                        .orElse(plain);
    }

    /** @param toldSchema whether the transaction recorded a schema change for the satellites */
    private void settle(Lease lease, SessionFate fate, boolean toldSchema) {
        if (toldSchema && !lease.isBroken()) {
            try {
                dispatcher.dialect().schemaTold(lease.connection());
            } catch (SQLException e) {
                session.lose(lease);
                return;
            }
        }
        session.settle(lease, fate);
    }
}
