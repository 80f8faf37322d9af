package io.multimed.server.dispatcher.execution;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.dispatcher.session.SessionTimeZone;
import io.multimed.server.node.GroupWorkers;
import io.multimed.server.node.Lease;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs single statements of one commit group in shared transactions, on an engine where a failure of one statement
 * undoes the whole transaction (architecture 4.6).
 *
 * <p>The statements are sent as batches, one message for each text, and the seal and the COMMIT are another message. If
 * anything fails before the COMMIT, the transaction is rolled back, and each member runs alone, so that each client
 * receives its own error. The text that failed then runs alone for a number of executions, which doubles with each
 * failure. One transaction runs at a time: two of them could wait for each other's locks. Used once, by one thread.
 */
final class OptimisticTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(OptimisticTransactions.class);

    /** Maximum number of members of one transaction, because all of them wait for the last one. */
    private static final int MOST = 64;

    /** Size of a WriteSet, in bytes, up to which the engine returns it with the seal; larger ones are spilled. */
    private static final int MOST_BYTES = 3_600;

    private final GroupWorkers workers;
    private final SharedCommit commit;
    private final SqlDialect dialect;

    /** A statement of the transaction. A member that receives no outcome runs alone afterwards. */
    interface Member {
        Receipt receipt();

        String sql();

        /** Returns the tables that the statement changes, as the statement names them. */
        Set<String> tables();

        SessionTimeZone zone();

        LatencyEstimator latency();

        /** Adds the execution to a batch of its text. */
        void addTo(PreparedStatement batch) throws SQLException;

        /** Records that the statement is about to run in a session of the engine. */
        void begun(int session);

        /**
         * Records that the transaction is committed.
         *
         * @param writeSet null if the transaction changed nothing
         * @param rows number of rows that the statement has changed
         */
        void committed(@Nullable WriteSet writeSet, long rows);

        /** Records that it is unknown whether the transaction is committed. */
        void failedShared(SQLException cause);

        /** Records a defect, maybe after the engine had committed. */
        void failedShared(RuntimeException cause);
    }

    OptimisticTransactions(GroupWorkers workers, SharedCommit commit, SqlDialect dialect) {
        this.workers = workers;
        this.commit = commit;
        this.dialect = dialect;
    }

    /** Runs and commits the members that fit together. Never throws. */
    void run(List<Member> members) {
        for (List<Member> part : parts(members)) {
            if (part.size() > 1) { // a single statement needs fewer messages alone
                runTogether(part);
            }
        }
    }

    /** Divides the members by the time zone of their sessions, their number and the expected size of the WriteSet. */
    private static List<List<Member>> parts(List<Member> members) {
        Map<String, List<Member>> byZone = new LinkedHashMap<>();
        members.forEach(member -> byZone.computeIfAbsent(member.zone().present(), zone -> new ArrayList<>())
                .add(member));
        List<List<Member>> parts = new ArrayList<>();
        for (List<Member> ofZone : byZone.values()) {
            List<Member> part = new ArrayList<>();
            int bytes = 0;
            for (Member member : ofZone) {
                int own = member.latency().averageBytes();
                if (part.size() == MOST || (!part.isEmpty() && bytes + own > MOST_BYTES)) {
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
        try {
            Connection connection = workers.connection();
            boolean sound = false;
            try {
                members.get(0).zone().applyTo(connection); // in auto-commit, so that no rollback undoes it
                connection.setAutoCommit(false);
                sound = run(members, connection);
                if (sound) {
                    connection.setAutoCommit(true);
                }
            } finally {
                if (!sound) {
                    workers.discard(connection);
                }
                workers.returnConnection(connection);
            }
        } catch (SQLException e) {
            LOG.debug("the statements of a commit group run alone, because their connection failed", e);
        }
    }

    /** Returns whether the connection may be used further. */
    private boolean run(List<Member> members, Connection connection) {
        Map<String, List<Member>> texts = new LinkedHashMap<>();
        members.forEach(member ->
                texts.computeIfAbsent(member.sql(), sql -> new ArrayList<>()).add(member));
        int session = workers.session(connection);
        members.forEach(member -> member.begun(session));
        long begin = System.nanoTime();
        List<Member> ordered = new ArrayList<>(members.size());
        List<Long> rows = new ArrayList<>(members.size());
        for (Map.Entry<String, List<Member>> text : texts.entrySet()) {
            try {
                for (long count : execute(connection, text.getKey(), text.getValue())) {
                    rows.add(count);
                }
                ordered.addAll(text.getValue());
            } catch (SQLException | RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
                LOG.debug("a shared transaction failed; its statements run alone", e);
                text.getValue().get(0).latency().failedShared();
                return !Lease.isBroken(connection) && rollBack(connection);
            }
        }
        return seal(connection, ordered, rows, begin);
    }

    private static long[] execute(Connection connection, String sql, List<Member> members) throws SQLException {
        try (PreparedStatement batch = connection.prepareStatement(sql)) {
            for (Member member : members) {
                member.addTo(batch);
            }
            return batch.executeLargeBatch();
        }
    }

    /** Seals and commits, and returns whether the connection may be used further. */
    private boolean seal(Connection connection, List<Member> members, List<Long> rows, long begin) {
        SessionFate fate = new SessionFate(false);
        try {
            List<WriteSet> writeSets = commit.sealAndCommit(
                    connection, members.stream().map(Member::receipt).toList(), tables(members), fate);
            long nanos = (System.nanoTime() - begin) / members.size();
            int bytes = writeSets.isEmpty() ? 0 : bytes(writeSets.get(0)) / members.size();
            for (int i = 0; i < members.size(); i++) {
                members.get(i).committed(writeSets.isEmpty() ? null : writeSets.get(i), rows.get(i));
                members.get(i).latency().ranShared(nanos, bytes);
            }
            return !fate.isHeld();
        } catch (SQLException error) {
            SQLException e = ConnectionFailures.actualFailure(dialect, connection, error);
            if (!dialect.isConnectionFailure(e) && rollBack(connection)) {
                LOG.debug("a shared transaction could not be sealed; its statements run alone", e);
                members.stream().map(Member::latency).distinct().forEach(LatencyEstimator::failedShared);
                return true;
            }
            SQLException doubt = dialect.isConnectionFailure(e) ? e : new SQLException(e.getMessage(), "08007", e);
            members.forEach(member -> member.failedShared(doubt));
            return false;
        } catch (LinkageError | VirtualMachineError | AssertionError e) {
            IllegalStateException unknown = new IllegalStateException(e.toString(), e);
            members.forEach(member -> member.failedShared(unknown));
            return false;
        } catch (RuntimeException e) {
            members.forEach(member -> member.failedShared(e)); // maybe after the engine had committed
            return false;
        }
    }

    private static Set<String> tables(List<Member> members) {
        Set<String> tables = new HashSet<>();
        members.forEach(member -> tables.addAll(member.tables()));
        return tables;
    }

    /** Returns the size of a WriteSet; more than the maximum if it was spilled. */
    private static int bytes(WriteSet writeSet) {
        return writeSet.spill() == null ? writeSet.bytes() : 2 * MOST_BYTES;
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
