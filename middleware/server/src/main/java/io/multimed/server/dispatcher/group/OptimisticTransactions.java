// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.dispatcher.session.SessionTimeZone;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.node.Lease;
import io.multimed.server.node.group.GroupWorkers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs single statements of one commit group in shared transactions, on an engine where a failure of one statement
 * undoes the whole transaction (architecture 4.6).
 *
 * <p>The statements are sent as batches, one message for each text, and the seal and the COMMIT are another message. If
 * anything fails before the COMMIT, the transaction is rolled back, and each member runs alone, so that each client
 * receives its own error. A member whose COMMIT may have been sent never runs alone ({@link SharedSeal}). The text that
 * failed then runs alone for a number of executions, which doubles with each failure. Statements of different roles are
 * in different transactions, each in a session of its role. One transaction runs at a time: two of them could wait for
 * each other's locks. Used once, by one thread.
 */
final class OptimisticTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(OptimisticTransactions.class);

    /** Maximum number of members of one transaction, because all of them wait for the last one. */
    private static final int MAX_MEMBERS = 64;

    /** Size of a WriteSet, in bytes, up to which the engine returns it with the seal; larger ones are spilled. */
    private static final int MAX_BYTES = 3_600;

    /**
     * Maximum time of all statements of a transaction, because all members wait for it, and its waits for several locks
     * add up. Much shorter than the time after which an engine looks for deadlocks: a transaction that waits for one of
     * these locks meanwhile must not become a victim.
     */
    private static final long TIME_LIMIT_MILLIS = 200;

    private final GroupWorkers workers;
    private final SharedCommit commit;
    private final SqlDialect dialect;

    /** Whether the engine has rolled back the last transaction. */
    private boolean isUndone;

    /** A statement of the transaction. A member that has no outcome afterwards runs alone. */
    interface Member extends SharedSeal.Member {
        String sql();

        /** Returns the role of the engine as which the statement runs; null for the master's user. */
        @Nullable
        String role();

        /** Returns the tables that the statement changes, as the statement names them. */
        Set<String> tables();

        SessionTimeZone zone();

        LatencyEstimator latency();

        /** Adds the execution to a batch of its text. */
        void addTo(PreparedStatement batch) throws SQLException;

        /** Records that the statement is about to run in a session of the engine. */
        void begun(int session);

        /** Records the number of rows that the statement has changed in the shared transaction. */
        void ran(long rows);
    }

    OptimisticTransactions(GroupWorkers workers, SharedCommit commit, SqlDialect dialect) {
        this.workers = workers;
        this.commit = commit;
        this.dialect = dialect;
    }

    /** Runs and commits the members that fit together. Never throws. */
    void executeAll(List<Member> members) {
        for (List<Member> part : parts(members)) {
            if (part.size() > 1 && mayShare(part)) { // a single statement needs fewer messages alone
                runTogether(part);
            }
        }
    }

    /** Returns whether no statement has failed in an earlier part: for a locked row, each part would wait in vain. */
    private static boolean mayShare(List<Member> part) {
        return part.stream().noneMatch(member -> member.latency().hasFailedShared());
    }

    /** What statements of one transaction have in common: the engine's session runs as the role, in the time zone. */
    private record Session(@Nullable String role, String zone) {}

    /** Divides the members by role and time zone, their number and the expected size of the WriteSet. */
    private static List<List<Member>> parts(List<Member> members) {
        Map<Session, List<Member>> bySession = new LinkedHashMap<>();
        members.forEach(member -> bySession
                .computeIfAbsent(new Session(member.role(), member.zone().present()), session -> new ArrayList<>())
                .add(member));
        List<List<Member>> parts = new ArrayList<>();
        for (List<Member> ofSession : bySession.values()) {
            List<Member> part = new ArrayList<>();
            int bytes = 0;
            for (Member member : ofSession) {
                int own = member.latency().averageBytes();
                if (part.size() == MAX_MEMBERS || (!part.isEmpty() && bytes + own > MAX_BYTES)) {
                    parts.add(part);
                    part = new ArrayList<>();
                    bytes = 0;
                }
                part.add(member);
                bytes += own;
            }
            parts.add(part);
        }
        return parts;
    }

    private void runTogether(List<Member> members) {
        isUndone = false;
        try {
            Connection connection = workers.connection(members.get(0).role());
            boolean sound = false;
            try {
                members.get(0).zone().applyTo(connection); // in auto-commit, so that no rollback undoes it
                connection.setAutoCommit(false);
                if (run(members, connection)) {
                    connection.setAutoCommit(true);
                    sound = true;
                }
                if (sound && isUndone) {
                    workers.reset(connection); // the engine does not undo everything that a hidden function has done
                }
            } finally {
                if (!sound) {
                    workers.discard(connection);
                }
                workers.returnConnection(connection);
            }
        } catch (SQLException e) {
            LOG.debug("the connection of a shared transaction failed; its statements without an outcome run alone", e);
        }
    }

    /** Returns whether the connection may be used further. */
    private boolean run(List<Member> members, Connection connection) {
        Map<String, List<Member>> texts = new LinkedHashMap<>();
        members.forEach(member ->
                texts.computeIfAbsent(member.sql(), sql -> new ArrayList<>()).add(member));
        int session = workers.session(connection);
        members.forEach(member -> member.begun(session));
        Map<String, Long> durations = new HashMap<>();
        Cancellation cancellation = new Cancellation();
        cancellation.begin(() -> dialect.streaming().cancel(connection));
        Future<?> limit = workers.every(TIME_LIMIT_MILLIS, () -> cancel(cancellation));
        List<Member> current = members;
        try {
            for (List<Member> ofText : texts.values()) {
                current = ofText;
                long textBegin = System.nanoTime();
                execute(connection, ofText);
                durations.put(ofText.get(0).sql(), (System.nanoTime() - textBegin) / ofText.size());
            }
            endLimit(limit, cancellation);
        } catch (SQLException e) {
            isUndone = true;
            abandon(members, current, e);
            return endedLimit(limit, cancellation) && !Lease.isBroken(connection) && rollBack(connection);
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            limit.cancel(false);
            abandon(members, current, e);
            return false; // the engine's driver may have left the connection between two messages
        }
        List<Member> ordered = texts.values().stream().flatMap(List::stream).toList();
        return seal(connection, ordered, durations);
    }

    /** @throws SQLException if the statements took too long, so that they were or may be canceled */
    private static void endLimit(Future<?> limit, Cancellation cancellation) throws SQLException {
        limit.cancel(false);
        cancellation.end();
        if (cancellation.wasRequested()) {
            throw new SQLException("the statements took too long", "57014");
        }
    }

    /** Returns whether no cancel request can reach a later statement of the connection. */
    private static boolean endedLimit(Future<?> limit, Cancellation cancellation) {
        limit.cancel(false);
        try {
            cancellation.end();
            return true;
        } catch (SQLException e) {
            LOG.debug("a cancel request is still on its way", e);
            return false;
        }
    }

    private static void cancel(Cancellation cancellation) {
        try {
            cancellation.cancel();
        } catch (SQLException e) {
            LOG.debug("a shared transaction could not be canceled", e);
        }
    }

    /** Lets all members run alone. No COMMIT has been sent: the engine undoes everything that has run. */
    private static void abandon(List<Member> members, List<Member> failed, Throwable cause) {
        LOG.debug("a shared transaction failed; its statements run alone", cause);
        members.forEach(Member::undone);
        failed.get(0).latency().failedShared();
    }

    /** Runs all executions of one text. */
    private static void execute(Connection connection, List<Member> members) throws SQLException {
        try (PreparedStatement batch =
                connection.prepareStatement(members.get(0).sql())) {
            for (Member member : members) {
                member.addTo(batch);
            }
            long[] rows = batch.executeLargeBatch();
            if (Arrays.stream(rows).anyMatch(count -> count < 0)) {
                throw new SQLException("the engine's driver does not report the rows of each statement", "XX000");
            }
            for (int i = 0; i < members.size(); i++) {
                members.get(i).ran(rows[i]);
            }
        }
    }

    /**
     * Seals and commits, and returns whether the connection may be used further.
     *
     * @param durations nanoseconds of one execution of each text
     */
    private boolean seal(Connection connection, List<Member> members, Map<String, Long> durations) {
        SharedSeal seal = new SharedSeal(commit, dialect.errors(), connection, members);
        SharedSeal.Result result = seal.seal(tables(members));
        if (result == SharedSeal.Result.COMMITTED) {
            int bytes = bytes(seal.changes()) / members.size();
            long check = seal.checkNanos() / members.size();
            members.forEach(
                    member -> member.latency().ranShared(durations.getOrDefault(member.sql(), 0L), check, bytes));
        } else if (result == SharedSeal.Result.UNDONE) {
            isUndone = true;
            members.stream().map(Member::latency).distinct().forEach(LatencyEstimator::failedShared);
        }
        return seal.leavesConnectionUsable();
    }

    private static Set<String> tables(List<Member> members) {
        Set<String> tables = new HashSet<>();
        members.forEach(member -> tables.addAll(member.tables()));
        return tables;
    }

    /** Returns the size of a WriteSet; more than the maximum if it was spilled. */
    private static int bytes(@Nullable WriteSet writeSet) {
        if (writeSet == null) {
            return 0;
        }
        return writeSet.isLarge() ? 2 * MAX_BYTES : writeSet.bytes();
    }

    private static boolean rollBack(Connection connection) {
        try {
            connection.rollback();
            return true;
        } catch (SQLException e) {
            LOG.debug("a shared transaction could not be rolled back", e);
            return false;
        }
    }
}
