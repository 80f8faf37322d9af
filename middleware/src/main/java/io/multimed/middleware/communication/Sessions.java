package io.multimed.middleware.communication;

import io.multimed.middleware.dispatcher.Conversation;
import io.multimed.middleware.dispatcher.Dispatcher;
import io.multimed.middleware.node.NamedThreads;
import io.multimed.protocol.Cancel;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.mina.core.session.IoSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All connected clients, at most as many as the model says. Thread-safe. */
final class Sessions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);
    private static final int CANCELS_WAITING = 1_000;

    private final SecureRandom random = new SecureRandom();
    private final Map<Long, ClientSession> open = new ConcurrentHashMap<>();
    private final Dispatcher dispatcher;
    private final Users users;
    private final ServerIdentity identity;
    private final int most;

    /** Cancelling asks the engine over a connection of its own, which blocks. Beyond the bound a cancel is not done, as if it had come too late. */
    private final ThreadPoolExecutor cancels = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(CANCELS_WAITING),
            new NamedThreads("cancel"),
            new ThreadPoolExecutor.DiscardPolicy());

    Sessions(Dispatcher dispatcher, Users users, ServerIdentity identity, int most) {
        this.dispatcher = dispatcher;
        this.users = users;
        this.identity = identity;
        this.most = most;
    }

    Users users() {
        return users;
    }

    ServerIdentity identity() {
        return identity;
    }

    /** A session with an id that no other ever had: it names the session's commits. */
    ClientSession connected(IoSession io) {
        return new ClientSession(io, this, random.nextLong(), random.nextLong());
    }

    /** Counts a session in once its client is known. */
    Conversation open(ClientSession session, String user) {
        open.put(session.id(), session);
        return dispatcher.open(session.id(), users.isAdministrator(user));
    }

    boolean areFull() {
        return open.size() >= most;
    }

    void disconnected(ClientSession session) {
        open.remove(session.id());
        session.disconnected();
    }

    /** Cancels what another session runs, if the key fits. */
    void cancel(Cancel request) {
        ClientSession session = open.get(request.sessionId());
        if (session != null && session.cancelKey() == request.cancelKey()) {
            session.cancelConversation();
        }
    }

    void cancelLater(Conversation conversation) {
        cancels.execute(() -> {
            try {
                conversation.cancel();
            } catch (SQLException e) {
                LOG.debug("a statement could not be cancelled", e);
            }
        });
    }

    int count() {
        return open.size();
    }

    @Override
    public void close() {
        cancels.shutdownNow();
    }
}
