package io.multimed.engine.postgresql.master;

import io.multimed.engine.BypassStore;
import io.multimed.engine.HeldTables;
import io.multimed.engine.MasterStore;
import io.multimed.engine.Retention;
import io.multimed.engine.UntoldChange;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.postgresql.connection.PostgresConnections;
import io.multimed.engine.postgresql.connection.PostgresSessions;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.engine.postgresql.connection.Relations;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads and keeps the tables of {@code postgresql/install.sql}. */
public final class PostgresMasterStore implements MasterStore {
    /**
     * The longest wait for transactions that change the schema, before a change is sent to the satellites later; the
     * client waits meanwhile.
     */
    private static final int TELL_SECONDS = 10;

    private static final int TELL_AGAIN_SECONDS = 2;

    private static final long SPILL_KEPT = 16 << 20;
    private static final String GONE = "XX001";
    private static final long MIDDLEWARE_LOCK = 0x6d756c74696d6564L; // "multimed"

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Size limit of the tables that contain a row for each open transaction with changes. */
    private static final int UNSEALED_KEPT = 4 << 20;

    @Override
    public void install(Connection master, HeldTables held, boolean captureBypassing) throws SQLException {
        try (Statement statement = master.createStatement()) {
            checkUser(master);
            checkEncoding(statement);
            statement.execute(scripts(captureBypassing));
            for (Relation relation : Relations.all(statement)) {
                if (held.holds(relation.schema(), relation.table())) {
                    statement.execute(watch(relation));
                }
            }
        }
        Queries.end(master);
    }

    @Override
    public Optional<BypassStore> bypass() {
        return Optional.of(new PostgresBypassStore());
    }

    @Override
    public void watch(Connection master, HeldTables held) throws SQLException {
        for (Relation relation : relations(master)) {
            if (held.holds(relation.schema(), relation.table())) {
                try (Statement statement = master.createStatement()) {
                    statement.execute("SET LOCAL lock_timeout = '2s'"); // whoever writes to the table waits behind us
                    statement.execute(watch(relation));
                }
            }
            Queries.end(master);
        }
    }

    /** What bypasses the middleware is captured or refused. */
    private String scripts(boolean captureBypassing) {
        return PostgresConnections.SCRIPTS.script("install")
                + PostgresConnections.SCRIPTS.script("sessions")
                + PostgresConnections.SCRIPTS.script(captureBypassing ? "capture" : "refuse")
                + PostgresConnections.SCRIPTS.script("large")
                + PostgresConnections.SCRIPTS.script("ddl")
                + PostgresConnections.SCRIPTS.script("rights");
    }

    private String watch(Relation relation) {
        return PostgresConnections.SCRIPTS.script(
                "watch", Map.of("relation", Quoting.table(relation).replace("'", "''")));
    }

    /** By PostgreSQL's default search_path, a user's own tables go into the schema of the user's name. */
    private static void checkUser(Connection master) throws SQLException {
        if (master.getMetaData().getUserName().equals("multimed")) {
            throw new SQLException(
                    "the master's user must not be called multimed: its tables would go into the schema that Multimed keeps for itself",
                    "28000");
        }
    }

    /** Captured changes give lengths in bytes; they are read as UTF-8. */
    private static void checkEncoding(Statement statement) throws SQLException {
        List<String> encoding = Queries.texts(statement, "SHOW server_encoding");
        if (!encoding.contains("UTF8")) {
            throw new SQLException(
                    "the master's database has the encoding %s; Multimed needs UTF8".formatted(encoding.get(0)),
                    "0A000");
        }
    }

    @Override
    public void endForeignSessions(Connection master) throws SQLException {
        keepOut(master);
        PostgresSessions.end(master, PostgresSessions.ours(master) + " AND pid <> pg_backend_pid()");
    }

    @Override
    public long takeOver(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '10s'"); // a connection that is being admitted may hang
        }
        // Random, because a seal must prove that it knows the epoch.
        long epoch = 1 + RANDOM.nextLong(Long.MAX_VALUE);
        return Queries.single(
                master, "UPDATE multimed.base SET epoch = " + epoch + " RETURNING epoch", row -> row.getLong(1));
    }

    @Override
    public long epoch(Connection master) throws SQLException {
        return Queries.single(master, "SELECT epoch FROM multimed.base", row -> row.getLong(1));
    }

    @Override
    public void admit(Connection master, long epoch) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute(admission(epoch));
        }
        Queries.end(master);
    }

    public static String admission(long epoch) {
        return "SELECT multimed.enter(" + epoch + ")";
    }

    @Override
    public void keepOut(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("SET lock_timeout = '10s'");
            statement.execute("SELECT pg_advisory_lock(" + MIDDLEWARE_LOCK + ")");
            statement.execute("RESET lock_timeout");
            Queries.end(master);
        } catch (SQLException e) {
            if (!Queries.isLockNotAvailable(e)) {
                throw e;
            }
            throw new SQLException(
                    "another middleware is running on this master; stop it first, or give this one a master of its own",
                    "55006",
                    e);
        }
    }

    @Override
    public UUID cluster(Connection master) throws SQLException {
        return Queries.single(master, "SELECT multimed.cluster()", row -> row.getObject(1, UUID.class));
    }

    @Override
    public Scn base(Connection master) throws SQLException {
        return Queries.single(master, "SELECT scn FROM multimed.base", row -> new Scn(row.getLong(1)));
    }

    @Override
    public Scn resume(Connection master) throws SQLException {
        return Queries.single(master, "SELECT multimed.resume()", row -> new Scn(row.getLong(1)));
    }

    @Override
    public Map<Receipt, WriteSet> sealedAfter(Connection master, Scn after) throws SQLException {
        String query =
                "SELECT scn, session_id, sequence, rows, spill, pieces, xid, ddl FROM multimed.sealed WHERE scn > ? AND session_id <> 0";
        Map<Receipt, WriteSet> found = new HashMap<>();
        try (PreparedStatement statement = master.prepareStatement(query)) {
            statement.setLong(1, after.value());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Receipt receipt = new Receipt(rows.getLong("session_id"), rows.getInt("sequence"));
                    found.put(receipt, PostgresExtractor.read(rows));
                }
            }
        }
        Queries.end(master);
        return found;
    }

    @Override
    public List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) throws SQLException {
        List<WriteSet> found = new ArrayList<>();
        for (Scn from = after; found.size() < limit && upTo.isAfter(from); ) {
            Scn to = new Scn(Math.min(upTo.value(), from.value() + limit)); // most SCNs have a row
            List<WriteSet> next = sealedBetween(master, from, to, limit - found.size());
            found.addAll(next);
            from = next.isEmpty() ? lastUnused(master, to, upTo) : to;
        }
        return found;
    }

    /** Returns the last SCN before the next one that has a row: SQL may have set the sequence far ahead. */
    private static Scn lastUnused(Connection master, Scn after, Scn upTo) throws SQLException {
        String query = "SELECT least(min(scn) - 1, %2$d) FROM multimed.sealed WHERE scn > %1$d AND scn <= %2$d"
                .formatted(after.value(), upTo.value());
        return new Scn(Queries.single(master, query, row -> row.getLong(1)));
    }

    private static List<WriteSet> sealedBetween(Connection master, Scn after, Scn upTo, int limit) throws SQLException {
        // The base and the rows are of one snapshot, which is taken when no table can be truncated any more.
        String query = """
                SELECT b.scn AS base, s.* FROM multimed.base b LEFT JOIN (
                    SELECT scn, rows, spill, pieces, xid, ddl FROM multimed.sealed WHERE scn > ? AND scn <= ? ORDER BY scn LIMIT ?) s ON true
                ORDER BY s.scn""";
        List<WriteSet> found = new ArrayList<>();
        try (PreparedStatement statement = master.prepareStatement(query)) {
            statement.setLong(1, after.value());
            statement.setLong(2, upTo.value());
            statement.setInt(3, limit);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    checkBase(new Scn(rows.getLong("base")), after);
                    if (rows.getLong("scn") > 0) {
                        found.add(PostgresExtractor.read(rows));
                    }
                }
            }
        }
        Queries.end(master);
        return found;
    }

    private static void checkBase(Scn base, Scn after) throws SQLException {
        if (base.isAfter(after)) {
            throw new SQLException("the WriteSets after %s are dropped up to %s".formatted(after, base), GONE);
        }
    }

    @Override
    public Map<Receipt, Scn> sealed(Connection master, List<Receipt> receipts) throws SQLException {
        String query = """
                SELECT session_id, sequence, scn FROM multimed.sealed
                WHERE (session_id, sequence) IN (SELECT * FROM unnest(?::bigint[], ?::int[]))""";
        Map<Receipt, Scn> found = new HashMap<>();
        try (PreparedStatement statement = master.prepareStatement(query)) {
            statement.setObject(
                    1, receipts.stream().mapToLong(Receipt::sessionId).toArray());
            statement.setObject(2, receipts.stream().mapToInt(Receipt::sequence).toArray());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.put(new Receipt(rows.getLong(1), rows.getInt(2)), new Scn(rows.getLong(3)));
                }
            }
        }
        Queries.end(master);
        return found;
    }

    @Override
    public void spilled(Connection master, Spill spill, PieceConsumer piece) throws SQLException {
        int read = new SpilledPieces(piece).read(master, spill);
        Queries.end(master);
        if (read != spill.pieces()) {
            throw new SQLException(
                    "a large WriteSet has %d pieces on the master, not %d: some are dropped"
                            .formatted(read, spill.pieces()),
                    GONE);
        }
    }

    @Override
    public Scn drop(Connection master, Scn applied, Retention retention) throws SQLException {
        new SealedTables(master).drop(applied, retention);
        Scn old = applied.isAfter(retention.old()) ? retention.old() : applied;
        for (int place : dispensableSpills(master, areSpillsTooLarge(master, retention) ? applied : old)) {
            dropSpill(master, place, applied);
        }
        dropUnsealed(master);
        return base(master);
    }

    /** Empties the tables that contain only rows of ended transactions; open transactions hold a lock on theirs. */
    private static void dropUnsealed(Connection master) throws SQLException {
        for (int place = 0; place < 3; place++) {
            String table = "multimed.unsealed_" + place;
            if (Queries.single(master, "SELECT pg_relation_size('" + table + "')", row -> row.getLong(1))
                    > UNSEALED_KEPT) {
                truncate(master, table);
            }
        }
    }

    private static void truncate(Connection master, String table) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("LOCK " + table + " IN ACCESS EXCLUSIVE MODE NOWAIT");
            statement.execute("TRUNCATE " + table);
            Queries.end(master);
        } catch (SQLException e) {
            master.rollback();
            if (!Queries.isLockNotAvailable(e)) {
                throw e;
            }
        }
    }

    private static boolean areSpillsTooLarge(Connection master, Retention retention) throws SQLException {
        String size = "SELECT sum(pg_table_size('multimed.spilled_' || place)) FROM generate_series(0, 2) place";
        return Queries.single(master, size, row -> row.getLong(1)) > retention.bytes();
    }

    /** Places of many pieces, all of which every satellite has applied; some may yet be filled by running transactions. */
    private static List<Integer> dispensableSpills(Connection master, Scn applied) throws SQLException {
        String query = """
                SELECT place FROM generate_series(0, 2) place WHERE pg_table_size('multimed.spilled_' || place) > %d
                AND NOT EXISTS (SELECT FROM multimed.spilling s WHERE s.place = place.place AND s.scn > %d)""".formatted(SPILL_KEPT, applied.value());
        List<Integer> places = new ArrayList<>();
        try (Statement statement = master.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                places.add(rows.getInt(1));
            }
        }
        Queries.end(master);
        return places;
    }

    /** Asks again under the lock, which no transaction that fills the place lets us have. */
    private static void dropSpill(Connection master, int place, Scn applied) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("LOCK multimed.spilled_" + place + " IN ACCESS EXCLUSIVE MODE NOWAIT");
            String needed =
                    "SELECT count(*) FROM multimed.spilling WHERE place = " + place + " AND scn > " + applied.value();
            if (Queries.number(statement, needed) == 0) {
                statement.execute("TRUNCATE multimed.spilled_" + place);
                statement.execute("DELETE FROM multimed.spilling WHERE place = " + place);
            }
            Queries.end(master);
        } catch (SQLException e) {
            master.rollback();
            if (!Queries.isLockNotAvailable(e)) {
                throw e;
            }
        }
    }

    @Override
    public void share(Connection openTransaction, String sql) throws SQLException {
        try (PreparedStatement share = openTransaction.prepareStatement("SELECT multimed.append_statement(?)")) {
            share.setString(1, sql);
            share.execute();
        }
    }

    /** The engine tells of each change in the transaction that makes it. */
    @Override
    public boolean announceSchema(Connection openTransaction, SchemaChange change, long number) {
        return false;
    }

    @Override
    public void tellLater(Connection master, boolean later, long epoch) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute(later ? "SELECT multimed.begin_later(" + epoch + ")" : "SET multimed.later = ''");
        }
    }

    @Override
    public void tellSchema(Connection openTransaction, @Nullable SchemaChange change, long number) throws SQLException {
        tellAll(openTransaction, TELL_SECONDS);
    }

    @Override
    public boolean announceUntold(Connection openTransaction, UntoldChange untold) throws SQLException {
        endSessions(openTransaction, untold.lost());
        return false;
    }

    @Override
    public void tellUntold(Connection openTransaction, UntoldChange untold) throws SQLException {
        tellAll(openTransaction, TELL_AGAIN_SECONDS);
    }

    /**
     * Waits for the transactions that have changed the schema, and lets others wait until the end of this one: what it
     * tells must not be older than what they tell.
     */
    private static void tellAll(Connection openTransaction, int seconds) throws SQLException {
        try (Statement statement = openTransaction.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '%ds'".formatted(seconds));
            statement.execute("LOCK TABLE multimed.told IN SHARE ROW EXCLUSIVE MODE");
            // Less than deadlock_timeout: a client's statement that waits for this one does not fail.
            statement.execute("SET LOCAL lock_timeout = '300ms'");
            statement.execute("SELECT multimed.tell_all()");
        }
    }

    @Override
    public void forceLog(Connection master) throws SQLException {
        LogForce.run(master);
    }

    @Override
    public Optional<String> awaited(Connection master) throws SQLException {
        Optional<String> standbys = LogForce.standbys(master);
        Queries.end(master);
        return standbys;
    }

    @Override
    public List<Relation> relations(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            return Relations.all(statement);
        }
    }

    @Override
    public void beginSnapshot(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            statement.execute("SELECT scn FROM multimed.base");
        }
    }

    @Override
    public void endSessions(Connection master, Set<Integer> sessions) throws SQLException {
        Integer[] pids = sessions.toArray(new Integer[0]);
        PostgresSessions.end(
                master,
                PostgresSessions.ours(master) + " AND pid = ANY ('"
                        + Arrays.toString(pids).replace('[', '{').replace(']', '}') + "')");
    }
}
