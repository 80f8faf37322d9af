// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.server.node.NamedThreads;
import io.multimed.server.node.login.RoleLogin;
import io.multimed.server.node.login.RoleLogins;
import java.sql.SQLException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the master check the passwords of users who are passed through. The master answers each login, on threads of
 * their own: few, so that clients that guess neither occupy the master nor get ahead of the count of failed logins.
 * Thread-safe.
 */
final class PassThroughLogins implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PassThroughLogins.class);

    /** Logins that the master checks at the same time. */
    private static final int THREADS = 4;

    /** Logins that wait for their check; further ones are refused. */
    private static final int WAITING = 1_000;

    private static final long THREAD_SECONDS = 60;

    /** Checks of one login while the role's password changes. */
    private static final int ATTEMPTS = 3;

    private final RoleLogins master;
    private final Users users;
    private final ThreadPoolExecutor checks = new ThreadPoolExecutor(
            THREADS,
            THREADS,
            THREAD_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            new NamedThreads("pass-through"));

    /** Closes connections of roles whose clients have left, which may block. */
    private final ScheduledExecutorService closer =
            Executors.newSingleThreadScheduledExecutor(new NamedThreads("unused-roles"));

    /** What the master says about a login. */
    sealed interface Outcome {}

    /** The password is right; the receiver closes the login. */
    record Accepted(RoleLogin login) implements Outcome {}

    /** The user or the password is wrong, or the user must not log in; the client must not learn which. */
    record Refused(String why) implements Outcome {}

    /** The login is not possible for a reason that the client may learn. */
    record Failed(String sqlState, String why) implements Outcome {}

    PassThroughLogins(RoleLogins master, Users users) {
        this.master = master;
        this.users = users;
        checks.allowCoreThreadTimeOut(true);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // closeUnused() throws no exception
    void start() {
        closer.scheduleWithFixedDelay(this::closeUnused, 1, 1, TimeUnit.SECONDS);
    }

    private void closeUnused() {
        try {
            master.closeUnused();
        } catch (RuntimeException | VirtualMachineError e) {
            LOG.error("connections of unused roles cannot be closed; this is repeated in one second", e);
        }
    }

    /**
     * Runs a step of a login on a thread for checks.
     *
     * @return whether it will run; otherwise too many wait
     */
    boolean execute(Runnable step) {
        try {
            checks.execute(step);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.debug("a login was refused", e);
            return false;
        }
    }

    /**
     * Checks a password; blocks until the master has answered. The master is also asked about users that the
     * middleware knows itself, so that a client cannot tell their names by the time that the answer takes.
     *
     * @param isOver returns whether the client's connection has ended, so that the login must not count any more
     */
    Outcome check(String user, String password, BooleanSupplier isOver) {
        try {
            return checkAndEnter(user, password, isOver);
        } catch (SQLException e) {
            LOG.debug("the master does not accept the user \"{}\"", user, e);
            return outcome(e);
        } catch (RuntimeException e) { // the engine's driver refuses some passwords by exceptions of its own
            LOG.warn("the password of the user \"{}\" cannot be checked", user, e);
            return new Refused("the password cannot be checked: " + e);
        }
    }

    /** Repeats the check while other clients bring other passwords, of which only the master knows the present one. */
    private Outcome checkAndEnter(String user, String password, BooleanSupplier isOver) throws SQLException {
        for (int i = 0; i < ATTEMPTS; i++) {
            long moment = master.moment();
            master.check(user, password);
            if (!users.passesThrough(user)) {
                return new Refused("the name is that of a user or a role of the middleware's own list");
            }
            if (isOver.getAsBoolean()) {
                return new Failed("08004", "the connection ended while the master checked the password");
            }
            RoleLogin login = master.enter(user, password, moment);
            if (login != null) {
                return new Accepted(login);
            }
        }
        return new Failed("57P03", "the password of the role \"%s\" is being changed: log in again".formatted(user));
    }

    private static Outcome outcome(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        String why = String.valueOf(failure.getMessage());
        if (state.startsWith("28")) {
            return new Refused(why);
        }
        return switch (state) {
            case "0A000", "42501" -> new Failed("28000", why); // the password was right
            case "53300" -> new Failed(state, why);
            default -> {
                LOG.warn("the master cannot check a login: {}", why);
                yield new Failed(
                        "57P03",
                        "the master cannot check the password now: try again later; the log of the middleware contains the reason");
            }
        };
    }

    @Override
    public void close() {
        checks.shutdownNow();
        closer.shutdownNow();
    }
}
