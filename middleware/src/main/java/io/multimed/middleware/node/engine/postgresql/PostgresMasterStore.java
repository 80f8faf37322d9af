package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.extraction.CapturedChanges;
import io.multimed.middleware.extraction.Receipt;
import io.multimed.middleware.node.engine.HeldTables;
import io.multimed.middleware.node.engine.MasterStore;
import io.multimed.middleware.writeset.Relation;
import io.multimed.middleware.writeset.Scn;
import io.multimed.middleware.writeset.Spill;
import io.multimed.middleware.writeset.WriteSet;
import io.multimed.triggers.TriggerSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads and keeps the tables of {@code postgresql/install.sql}. */
final class PostgresMasterStore implements MasterStore {
    private static final int SCNS_PER_TABLE = 1 << 16;
    private static final int TABLES = 4;
    private static final int PIECES = 64;
    private static final long MIDDLEWARE_LOCK = 0x6d756c74696d6564L; // "multimed"

    private final TriggerSql sql = new TriggerSql(PostgresEngine.ID);

    @Override
    public void install(Connection master, HeldTables held) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute(sql.install());
            for (Relation relation : relations(statement)) {
                if (held.holds(relation.schema(), relation.table())) {
                    statement.execute(sql.watch(Quoting.table(relation)));
                }
            }
        }
        master.commit();
    }

    @Override
    public void endForeignSessions(Connection master) throws SQLException {
        String foreign = " FROM pg_stat_activity WHERE application_name = '" + PostgresEngine.APPLICATION
                + "' AND datname = current_database() AND pid <> pg_backend_pid()";
        try (Statement statement = master.createStatement()) {
            lockOut(statement);
            statement.execute("SELECT pg_terminate_backend(pid, 10000)" + foreign);
            if (number(statement, "SELECT count(*)" + foreign) > 0) {
                throw new SQLException("connections of an earlier middleware do not end", "55006");
            }
        }
        master.commit();
    }

    /** Only one middleware may number commits: the lock lasts as long as the connection. */
    private static void lockOut(Statement statement) throws SQLException {
        statement.execute("SET lock_timeout = '10s'");
        try {
            statement.execute("SELECT pg_advisory_lock(" + MIDDLEWARE_LOCK + ")");
        } catch (SQLException e) {
            if (lockNotAvailable(e)) {
                throw e;
            }
            throw new SQLException(
                    "another middleware is running on this master; stop it first, or give this one a master of its own",
                    "55006",
                    e);
        }
        statement.execute("RESET lock_timeout");
    }

    @Override
    public UUID cluster(Connection master) throws SQLException {
        return single(master, "SELECT cluster FROM multimed.base", row -> row.getObject(1, UUID.class));
    }

    @Override
    public Scn base(Connection master) throws SQLException {
        return single(master, "SELECT scn FROM multimed.base", row -> new Scn(row.getLong(1)));
    }

    @Override
    public Scn last(Connection master) throws SQLException {
        return single(
                master,
                "SELECT greatest((SELECT scn FROM multimed.base), (SELECT max(scn) FROM multimed.sealed))",
                row -> new Scn(row.getLong(1)));
    }

    @Override
    public List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) throws SQLException {
        String query =
                "SELECT scn, rows, spill, xid FROM multimed.sealed WHERE scn > ? AND scn <= ? ORDER BY scn LIMIT ?";
        List<WriteSet> found = new ArrayList<>();
        try (PreparedStatement statement = master.prepareStatement(query)) {
            statement.setLong(1, after.value());
            statement.setLong(2, upTo.value());
            statement.setInt(3, limit);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(PostgresExtractor.read(rows, new Scn(rows.getLong("scn"))));
                }
            }
        }
        master.commit();
        return found;
    }

    @Override
    public Optional<Scn> sealed(Connection master, Receipt receipt) throws SQLException {
        String query = "SELECT max(scn) FROM multimed.sealed WHERE session_id = ? AND sequence = ?";
        try (PreparedStatement statement = master.prepareStatement(query)) {
            statement.setLong(1, receipt.sessionId());
            statement.setInt(2, receipt.sequence());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                long scn = rows.getLong(1);
                return rows.wasNull() ? Optional.empty() : Optional.of(new Scn(scn));
            } finally {
                master.commit();
            }
        }
    }

    @Override
    public void spilled(Connection master, Spill spill, PieceConsumer piece) throws SQLException {
        String query = "SELECT rows FROM multimed.spilled WHERE spill = ? AND xid = ?::text::xid8 ORDER BY piece";
        try (PreparedStatement statement = master.prepareStatement(query)) {
            statement.setFetchSize(PIECES); // the connection is not in auto-commit, so the driver reads as we go
            statement.setInt(1, spill.place());
            statement.setString(2, Long.toUnsignedString(spill.transaction()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    piece.accept(CapturedChanges.parse(rows.getBytes(1)));
                }
            }
        }
        master.commit();
    }

    @Override
    public Scn drop(Connection master, Scn applied) throws SQLException {
        Scn base = base(master);
        long firstKept = applied.value() / SCNS_PER_TABLE * SCNS_PER_TABLE;
        if (base.value() >= firstKept - 1) {
            return base;
        }
        for (long first = base.value() + 1; first < firstKept; first = (first / SCNS_PER_TABLE + 1) * SCNS_PER_TABLE) {
            if (!truncate(master, (int) (first / SCNS_PER_TABLE % TABLES), nextBase(first))) {
                break;
            }
        }
        dropSpills(master);
        return base(master);
    }

    private static long nextBase(long first) {
        return (first / SCNS_PER_TABLE + 1) * SCNS_PER_TABLE - 1;
    }

    /** One table of sealed WriteSets, with the base in the same transaction; false if somebody uses it just now. */
    private static boolean truncate(Connection master, int table, long base) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '50ms'");
            statement.execute("TRUNCATE multimed.sealed_" + table);
            statement.execute("UPDATE multimed.base SET scn = " + base);
            master.commit();
            return true;
        } catch (SQLException e) {
            master.rollback();
            return lockNotAvailable(e);
        }
    }

    /** Pieces that no sealed WriteSet names any more, in a table that no running transaction fills. */
    private static void dropSpills(Connection master) throws SQLException {
        for (int place = 0; place < 3; place++) {
            try (Statement statement = master.createStatement()) {
                statement.execute("SET LOCAL lock_timeout = '50ms'");
                statement.execute("LOCK multimed.spilled_" + place + " IN ACCESS EXCLUSIVE MODE");
                if (number(statement, "SELECT count(*) FROM multimed.sealed WHERE spill = " + place) == 0
                        && number(
                                        statement,
                                        "SELECT count(*) FROM (SELECT FROM multimed.spilled_" + place + " LIMIT 1) x")
                                > 0) {
                    statement.execute("TRUNCATE multimed.spilled_" + place);
                }
                master.commit();
            } catch (SQLException e) {
                master.rollback();
                lockNotAvailable(e);
            }
        }
    }

    private static boolean lockNotAvailable(SQLException e) throws SQLException {
        if ("55P03".equals(e.getSQLState())) {
            return false;
        }
        throw e;
    }

    @Override
    public void forceLog(Connection master) throws SQLException {
        try (PreparedStatement flush = master.prepareStatement(flushSql(master))) {
            flush.execute();
        }
    }

    /** Either flushes as it is (17 and later), or commits a message of no content, whose record lies behind all others. */
    private static String flushSql(Connection master) throws SQLException {
        return master.getMetaData().getDatabaseMajorVersion() >= 17
                ? "SELECT pg_logical_emit_message(false, '', '', true)"
                : "SELECT pg_logical_emit_message(true, '', '')";
    }

    @Override
    public List<Relation> relations(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            return relations(statement);
        }
    }

    static List<Relation> relations(Statement statement) throws SQLException {
        List<Relation> relations = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(
                "SELECT id, schema_name, table_name, columns, key_positions FROM multimed.relation ORDER BY id")) {
            while (rows.next()) {
                relations.add(relation(rows));
            }
        }
        return relations;
    }

    /** A relation from a row of multimed.relation, which master and satellites have in the same form. */
    static Relation relation(ResultSet row) throws SQLException {
        String[] columns = (String[]) row.getArray("columns").getArray();
        java.sql.Array keys = row.getArray("key_positions");
        Integer[] positions = keys == null ? new Integer[0] : (Integer[]) keys.getArray();
        return new Relation(
                row.getLong("id"),
                row.getString("schema_name"),
                row.getString("table_name"),
                Arrays.asList(columns),
                Arrays.asList(positions));
    }

    @Override
    public void beginSnapshot(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            statement.execute("SELECT scn FROM multimed.base");
        }
    }

    private interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private static <T> T single(Connection master, String query, RowReader<T> reader) throws SQLException {
        try (Statement statement = master.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            T value = reader.read(rows);
            master.commit();
            return value;
        }
    }

    private static long number(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
