package io.multimed.engine.mysql.master;

import io.multimed.engine.BypassStore;
import io.multimed.engine.HeldTables;
import io.multimed.engine.MasterStore;
import io.multimed.engine.Retention;
import io.multimed.engine.UntoldChange;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.schema.AnswerSettings;
import io.multimed.engine.mysql.schema.TableForm;
import io.multimed.engine.mysql.schema.TableIdentities;
import io.multimed.engine.mysql.schema.Views;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads and keeps the tables of {@code mysql/install.sql}. */
public final class MySqlMasterStore implements MasterStore {
    private static final Logger LOG = LoggerFactory.getLogger(MySqlMasterStore.class);
    private static final int PIECE_CHANGES = 500;
    private static final int PIECE_BYTES = 1 << 18;
    private static final String GONE = "XX001";
    private static final int LOCK_SECONDS = 10;
    private static final int WATCH_SECONDS = 2;

    /**
     * The longest wait for a lock before a schema change is sent to the satellites later; the client waits meanwhile.
     */
    private static final int TELL_SECONDS = 10;

    /** The second part finds the connections for clients' transactions of earlier versions. */
    private static final String ADMITTED =
            "ID IN (SELECT connection FROM multimed.session) OR IS_USED_LOCK(CONCAT('multimed:', ID)) = ID";

    private static final String CLIENTS_KNOWN =
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'multimed' AND TABLE_NAME = 'session'";

    /** And the one that keeps other middlewares out: at first it is not among those for clients. */
    private static final String OURS = "(" + ADMITTED + " OR IS_USED_LOCK('multimed') = ID)";

    @Override
    public void install(Connection master, HeldTables held, boolean captureBypassing) throws SQLException {
        MasterSettings.check(master);
        Queries.run(master, MySqlServer.SCRIPTS.script("install"));
        boolean told = Queries.number(master, "SELECT COUNT(*) FROM multimed.intent") == 0;
        Queries.run(master, "DELETE FROM multimed.changing");
        Capture capture = new Capture(master);
        TableIdentities identities = new TableIdentities(master, capture.schema());
        boolean known = identities.areAsNoted();
        known &= capture.watchAll(held);
        identities.noteAll(capture.forms());
        known &= new Views(master, capture.schema()).noteAll();
        known &= AnswerSettings.note(master);
        if (!known || !told) {
            // Rows may have changed unseen, or what the server makes of them.
            beginAnew(master);
            Queries.run(master, "DELETE FROM multimed.intent");
        }
        Queries.end(master);
    }

    /** The history gets another name, which makes all satellites begin anew. */
    private static void beginAnew(Connection master) throws SQLException {
        Queries.run(master, "UPDATE multimed.base SET cluster = UUID()");
    }

    @Override
    public boolean mend(Connection master, HeldTables held) throws SQLException {
        Capture capture = new Capture(master);
        TableIdentities identities = new TableIdentities(master, capture.schema());
        boolean same = identities.areAsNoted();
        Queries.end(master);
        if (same) {
            return false;
        }
        Set<String> known = identities.names();
        capture.forms().forEach(form -> known.add(form.table().toLowerCase(Locale.ROOT)));
        Set<String> names = new HashSet<>(held.names());
        names.addAll(known);
        try {
            watch(master, new HeldTables(held.all(), names));
        } catch (SQLException e) {
            LOG.warn("tables that were changed past Multimed cannot be put under capture yet: {}", e.getMessage());
            master.rollback();
            return false; // it is tried again
        }
        identities.noteAll(capture.forms());
        identities.noteGone(known, capture.forms());
        beginAnew(master);
        Queries.end(master);
        return true;
    }

    /** What the engine commits by itself, it does not let a trigger number. */
    @Override
    public Optional<BypassStore> bypass() {
        return Optional.empty();
    }

    @Override
    public void watch(Connection master, HeldTables held) throws SQLException {
        Queries.run(master, "SET lock_wait_timeout = " + WATCH_SECONDS); // whoever writes to the table waits behind us
        try {
            new Capture(master).watchAll(held);
            Queries.end(master);
        } finally {
            Queries.run(master, "SET lock_wait_timeout = DEFAULT");
        }
    }

    @Override
    public void endForeignSessions(Connection master) throws SQLException {
        keepOut(master);
        if (Queries.number(master, CLIENTS_KNOWN) > 0) { // otherwise nothing is installed
            ForeignSessions.end(master, ADMITTED);
            ForeignSessions.forgetEnded(master);
        }
        Queries.end(master);
    }

    @Override
    public long takeOver(Connection master) throws SQLException {
        Queries.run(master, "UPDATE multimed.base SET epoch = epoch + 1");
        return epoch(master);
    }

    @Override
    public long epoch(Connection master) throws SQLException {
        return number(master, "SELECT epoch FROM multimed.base");
    }

    @Override
    public void admit(Connection master, long epoch) throws SQLException {
        Queries.run(master, admission(epoch));
        Queries.end(master);
    }

    /** The same for connections on which the engine refuses changes. */
    public static String readersAdmission(long epoch) {
        return "CALL multimed.admit_reader(" + epoch + ")";
    }

    public static String admission(long epoch) {
        return "CALL multimed.admit(" + epoch + ")";
    }

    @Override
    public void keepOut(Connection master) throws SQLException {
        List<Boolean> taken =
                Queries.list(master, "SELECT GET_LOCK('multimed', " + LOCK_SECONDS + ")", row -> row.getBoolean(1));
        Queries.end(master);
        if (!taken.get(0)) {
            throw new SQLException(
                    "another middleware is running on this master; stop it first, or give this one a master of its own",
                    "55006");
        }
    }

    @Override
    public void endSessions(Connection master, Set<Integer> sessions) throws SQLException {
        if (!sessions.isEmpty()) {
            String ids = sessions.stream().map(String::valueOf).collect(Collectors.joining(","));
            ForeignSessions.end(master, OURS + " AND ID IN (" + ids + ")");
        }
    }

    @Override
    public UUID cluster(Connection master) throws SQLException {
        String cluster =
                Queries.texts(master, "SELECT cluster FROM multimed.base").get(0);
        Queries.end(master);
        return UUID.fromString(cluster);
    }

    @Override
    public Scn base(Connection master) throws SQLException {
        return new Scn(number(master, "SELECT scn FROM multimed.base"));
    }

    @Override
    public Scn resume(Connection master) throws SQLException {
        Scn last = new Scn(
                Queries.number(
                        master,
                        "SELECT GREATEST(b.scn, COALESCE((SELECT MAX(s.scn) FROM multimed.sealed s), 0)) FROM multimed.base b"));
        Queries.run(
                master,
                "ALTER TABLE multimed.sealed AUTO_INCREMENT = " + last.next().value());
        Queries.end(master);
        return last;
    }

    @Override
    public Map<Receipt, WriteSet> sealedAfter(Connection master, Scn after) throws SQLException {
        try (PreparedStatement statement =
                master.prepareStatement("SELECT * FROM multimed.write_set WHERE scn > ? ORDER BY scn")) {
            statement.setLong(1, after.value());
            Map<Receipt, WriteSet> found;
            try (ResultSet rows = statement.executeQuery()) {
                found = new WriteSetReader(rows).byReceipt();
            }
            Queries.end(master);
            return found;
        }
    }

    @Override
    public List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) throws SQLException {
        String query = """
                SELECT w.* FROM (SELECT scn FROM multimed.sealed WHERE scn > ? AND scn <= ? ORDER BY scn LIMIT ?) AS wanted
                JOIN multimed.write_set w ON w.scn = wanted.scn ORDER BY w.scn""";
        Queries.end(master);
        checkBase(master, after); // the snapshot's begin: what is dropped after it is still seen
        List<WriteSet> found;
        try (PreparedStatement statement = master.prepareStatement(query)) {
            statement.setLong(1, after.value());
            statement.setLong(2, upTo.value());
            statement.setInt(3, limit);
            try (ResultSet rows = statement.executeQuery()) {
                found = new WriteSetReader(rows).all();
            }
        }
        Queries.end(master);
        return found;
    }

    private static void checkBase(Connection master, Scn after) throws SQLException {
        Scn base = new Scn(Queries.number(master, "SELECT scn FROM multimed.base"));
        if (base.isAfter(after)) {
            throw new SQLException("the WriteSets after %s are dropped up to %s".formatted(after, base), GONE);
        }
    }

    @Override
    public Map<Receipt, Scn> sealed(Connection master, List<Receipt> receipts) throws SQLException {
        Map<Receipt, Scn> found = new HashMap<>();
        Set<Receipt> wanted = new HashSet<>(receipts);
        String sessions = receipts.stream()
                .map(receipt -> String.valueOf(receipt.sessionId()))
                .collect(Collectors.joining(","));
        if (!receipts.isEmpty()) {
            String query =
                    "SELECT session_id, sequence, scn FROM multimed.sealed WHERE session_id IN (" + sessions + ")";
            try (Statement statement = master.createStatement();
                    ResultSet rows = statement.executeQuery(query)) {
                while (rows.next()) {
                    Receipt receipt = new Receipt(rows.getLong(1), rows.getInt(2));
                    if (wanted.contains(receipt)) {
                        found.put(receipt, new Scn(rows.getLong(3)));
                    }
                }
            }
        }
        Queries.end(master);
        return found;
    }

    @Override
    public void spilled(Connection master, Spill spill, PieceConsumer piece) throws SQLException {
        String query =
                "SELECT kind, relation, before_row, after_row FROM multimed.captured WHERE transaction_id = %s ORDER BY n"
                        .formatted(Long.toUnsignedString(spill.transaction()));
        Queries.end(master);
        checkKept(master, spill); // the snapshot's begin
        try (Statement statement = master.createStatement()) {
            statement.setFetchSize(Integer.MIN_VALUE); // the driver's word for: row by row
            try (ResultSet rows = statement.executeQuery(query)) {
                readPieces(rows, piece);
            }
        }
        Queries.end(master);
    }

    private static void checkKept(Connection master, Spill spill) throws SQLException {
        String query =
                "SELECT COUNT(*) FROM multimed.base b JOIN multimed.sealed s ON s.scn > b.scn WHERE s.transaction_id = "
                        + Long.toUnsignedString(spill.transaction());
        if (Queries.number(master, query) == 0) {
            throw new SQLException("a large WriteSet is dropped on the master", GONE);
        }
    }

    private static void readPieces(ResultSet rows, PieceConsumer piece) throws SQLException {
        List<Change> changes = new ArrayList<>();
        int bytes = 0;
        while (rows.next()) {
            Change change = WriteSetReader.change(rows);
            changes.add(change);
            bytes += WriteSetReader.size(change);
            if (changes.size() == PIECE_CHANGES || bytes > PIECE_BYTES) {
                piece.accept(changes);
                changes = new ArrayList<>();
                bytes = 0;
            }
        }
        piece.accept(changes);
    }

    @Override
    public Scn drop(Connection master, Scn applied, Retention retention) throws SQLException {
        Scn base = base(master);
        Scn next = new Dropping(master, base, applied, retention).run();
        if (next.isAfter(base)) {
            ForeignSessions.forgetEnded(master);
        }
        return next;
    }

    @Override
    public void share(Connection openTransaction, String statement) throws SQLException {
        throw new SQLException("a statement that every node runs for itself is not supported on this engine", "0A000");
    }

    @Override
    public boolean announceSchema(Connection openTransaction, SchemaChange change, long statement) throws SQLException {
        return SchemaTelling.announce(openTransaction, change, statement);
    }

    /** The engine tells nothing by itself. */
    @Override
    public void tellLater(Connection master, boolean later, long epoch) {}

    @Override
    public void tellSchema(Connection openTransaction, @Nullable SchemaChange change, long statement)
            throws SQLException {
        SchemaTelling.tell(openTransaction, change, Set.of(statement), TELL_SECONDS);
    }

    @Override
    public boolean announceUntold(Connection openTransaction, UntoldChange untold) throws SQLException {
        endSessions(openTransaction, untold.lost());
        return SchemaTelling.announce(openTransaction, untold.change(), untold.statements());
    }

    @Override
    public void tellUntold(Connection openTransaction, UntoldChange untold) throws SQLException {
        SchemaTelling.tell(openTransaction, untold.change(), untold.statements(), WATCH_SECONDS);
        String sessions =
                "(0" + untold.sessions().stream().map(session -> "," + session).collect(Collectors.joining()) + ")";
        Queries.run(openTransaction, "DELETE FROM multimed.intent WHERE connection IN " + sessions);
    }

    @Override
    public void forceLog(Connection master) throws SQLException {
        // Every commit has forced it.
        Queries.end(master);
    }

    @Override
    public List<Relation> relations(Connection master) throws SQLException {
        return Capture.forms(master, "").stream().map(TableForm::relation).toList();
    }

    @Override
    public void beginSnapshot(Connection master) throws SQLException {
        Queries.end(master);
        Queries.run(master, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        Queries.run(master, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
    }

    private static long number(Connection master, String query) throws SQLException {
        long number = Queries.number(master, query);
        Queries.end(master);
        return number;
    }
}
