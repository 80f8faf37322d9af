// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.Engine;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Change.LargeRowChange;
import io.multimed.engine.writeset.Change.RowChange;
import io.multimed.engine.writeset.Change.Truncation;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * One master and one satellite, driven by the engine's interface alone: performs the middleware's work sequentially,
 * for one client. Used by one thread.
 */
public final class Replication implements AutoCloseable {
    private static final int POOL_SIZE = 4;
    private static final int BATCH = 100;
    private static final int BUCKETS = 64;
    private static final long CLIENT = 7;

    private final Engine engine;
    private final EngineUnderTest servers;
    private final Connection fencing;
    private final long epoch;
    private final UUID history;
    private final WriteSetExtractor extractor;
    private final ConnectionPool pool;
    private SatelliteStore satellite;
    private Scn last;
    private Scn applied;
    private int sequence;
    private boolean failed;

    /** Relations whose rows have changed since the last comparison. */
    private final Set<Long> touched = new HashSet<>();

    /** Whether the changed relations are not known. */
    private boolean compareAll = true;

    private long statements;

    /** Takes over the master, installs capture, and seeds the satellite. */
    Replication(EngineUnderTest servers) throws SQLException {
        this(servers, servers.engine());
    }

    /** @param engine a variant of the engine of the servers */
    Replication(EngineUnderTest servers, Engine engine) throws SQLException {
        this.servers = servers;
        this.engine = engine;
        this.fencing = engine.connect(servers.master());
        MasterStore store = engine.masterStore();
        store.fencing().endForeignSessions(fencing);
        store.capture().install(fencing, ReplicatedTables.ALL, false);
        this.epoch = store.fencing().takeOver(fencing);
        store.fencing().endForeignSessions(fencing);
        this.history = store.seeds().historyId(fencing);
        this.last = store.log().resume(fencing);
        this.extractor = engine.extractor(true, epoch);
        this.pool = engine.masterPool(servers.master(), POOL_SIZE, true, engine.groupIsolation(), epoch);
        this.satellite = engine.openSatellite(servers.satellite(), ReplicatedTables.ALL);
        this.applied = satellite.applied(history).orElse(Scn.ZERO);
        seed();
    }

    Engine engine() {
        return engine;
    }

    SqlDialect dialect() {
        return engine.dialect();
    }

    MasterStore store() {
        return engine.masterStore();
    }

    WriteSetExtractor extractor() {
        return extractor;
    }

    NodeAccess masterAccess() {
        return servers.master();
    }

    NodeAccess satelliteAccess() {
        return servers.satellite();
    }

    /** Returns the connection that keeps other middlewares out, and on which internal queries run. */
    Connection fencing() {
        return fencing;
    }

    long epoch() {
        return epoch;
    }

    UUID history() {
        return history;
    }

    SatelliteStore satellite() {
        return satellite;
    }

    /** Returns the SCN of the last commit. */
    Scn last() {
        return last;
    }

    /** Returns the SCN up to which the satellite has applied the commits. */
    Scn applied() {
        return applied;
    }

    /** Returns a connection for a client's transactions on the master, with auto-commit off. */
    Connection connect() throws SQLException {
        return pool.getConnection();
    }

    /** Closes a connection for good. */
    void evict(Connection leased) {
        pool.evict(leased);
    }

    /** Returns a receipt that no other commit has. */
    Receipt nextReceipt() {
        return new Receipt(CLIENT, ++sequence);
    }

    /** Seals and commits the open transaction. */
    Optional<WriteSet> commit(Connection open) throws SQLException {
        return commit(open, nextReceipt());
    }

    Optional<WriteSet> commit(Connection open, Receipt receipt) throws SQLException {
        Optional<WriteSet> sealed = extractor.sealAndCommit(open, receipt, new SessionFate(true));
        sealed.ifPresent(writeSet -> last = writeSet.scn());
        return sealed;
    }

    /** Continues after the last commit of anybody. */
    void resume() throws SQLException {
        last = store().log().resume(fencing);
    }

    /** Runs statements of a client in one transaction, and returns its WriteSet. */
    WriteSet transaction(String... statements) throws SQLException {
        try (Connection connection = connect()) {
            Sql.run(connection, statements);
            return commit(connection).orElseThrow();
        }
    }

    /** Runs statements of a client, each as the middleware would run it outside of a transaction. */
    void run(String... statements) throws SQLException {
        try (Connection connection = connect()) {
            for (String sql : statements) {
                run(connection, sql);
            }
        }
    }

    /** Runs all statements of a section; the errors that the section names are expected. */
    void play(EngineSql.Section section) throws SQLException {
        try (Connection connection = connect()) {
            for (EngineSql.Statement statement : section.statements()) {
                if (statement.sqlState().isEmpty()) {
                    run(connection, statement.text());
                } else {
                    statement.run(connection);
                    connection.rollback();
                }
            }
        }
    }

    private void run(Connection connection, String sql) throws SQLException {
        Classification found = classify(sql);
        if (found.schemaChange() == null && found.kind() != Classification.Kind.NON_TRANSACTIONAL) {
            Sql.run(connection, sql);
            commit(connection);
            return;
        }
        SchemaChange change = found.schemaChange();
        long statement = ++statements;
        if (change != null && store().ddl().announceDdl(connection, change, statement)) {
            commit(connection);
        }
        runNonTransactional(connection, sql);
        store().ddl().recordDdl(connection, change, statement);
        commit(connection);
        dialect().sessions().ddlRecorded(connection);
    }

    /** Runs a statement that the engine commits by itself. */
    void runNonTransactional(Connection connection, String sql) throws SQLException {
        connection.setAutoCommit(true);
        store().ddl().deferDdl(connection, true, epoch);
        try {
            Sql.run(connection, sql);
        } finally {
            store().ddl().deferDdl(connection, false, epoch);
        }
        connection.setAutoCommit(false);
    }

    /** Classifies a statement with the proof that queries always run on the master. */
    Classification classify(String sql) {
        return dialect()
                .reader()
                .classify(
                        dialect().reader().read(sql),
                        () -> ReadProof.none(dialect().reader().readRules()));
    }

    /** Makes the satellite a copy of the master as it is now. */
    void seed() throws SQLException {
        try (Connection snapshot = engine.connect(servers.master())) {
            store().seeds().beginSnapshot(snapshot);
            satellite.seed(snapshot, last, history, (table, rows, note) -> {});
            snapshot.rollback();
        }
        applied = last;
        compareAll = true;
    }

    /** Closes the satellite and opens it again, as after a restart. */
    Optional<Scn> reopen() throws SQLException {
        satellite.close();
        satellite = engine.openSatellite(servers.satellite(), ReplicatedTables.ALL);
        failed = false;
        return satellite.applied(history);
    }

    /** Applies all commits that the satellite lacks, as read from the master. Seeds a failed satellite again. */
    void replicate() throws SQLException {
        if (failed) {
            reopen();
            seed();
        }
        while (last.isAfter(applied)) {
            List<WriteSet> missed = store().log().sealed(fencing, applied, last, BATCH);
            Scn end =
                    missed.size() < BATCH ? last : missed.get(missed.size() - 1).scn();
            apply(missed, end);
        }
    }

    void apply(List<WriteSet> writeSets, Scn upTo) throws SQLException {
        failed = true;
        writeSets.forEach(this::note);
        satellite.apply(writeSets, upTo, (spill, piece) -> store().log().spilled(fencing, spill, piece));
        applied = upTo;
        failed = false;
    }

    private void note(WriteSet writeSet) {
        compareAll |= writeSet.spill() != null;
        for (Change change : writeSet.changes()) {
            if (change instanceof RowChange row) {
                touched.add(row.relation());
            } else {
                compareAll |= change instanceof LargeRowChange || change instanceof Truncation;
            }
        }
    }

    /**
     * Applies all commits, and asserts that the satellite has the tables of the master, with the same rows where rows
     * have changed.
     */
    void assertSame() throws SQLException {
        replicate();
        assertThat(differences()).isEmpty();
        touched.clear();
        compareAll = false;
    }

    /** Makes the next comparison one of all tables. */
    void compareAll() {
        compareAll = true;
    }

    /** Returns the tables that the satellite lacks, or whose rows differ. */
    List<String> differences() throws SQLException {
        List<String> different = new ArrayList<>();
        try (CopySnapshot master = engine.openSnapshot(servers.master());
                CopySnapshot copy = engine.openSnapshot(servers.satellite())) {
            master.begin();
            copy.begin();
            Set<String> present = copy.tableNames();
            Set<String> pending = master.pendingTables();
            for (Relation table : master.relations()) {
                if (!present.contains(table.name())) {
                    different.add(table.name() + " is missing" + (pending.contains(table.name()) ? ", pending" : ""));
                } else if ((compareAll || touched.contains(table.id()))
                        && !master.sums(table, BUCKETS).equals(copy.sums(table, BUCKETS))) {
                    different.add(table.name() + " has other rows");
                }
            }
        }
        return different;
    }

    /** Returns the first value that a query finds on the satellite. */
    String onSatellite(String query) throws SQLException {
        try (Connection copy = engine.connect(servers.satellite())) {
            return String.valueOf(Sql.text(copy, query));
        }
    }

    @Override
    public void close() throws SQLException {
        satellite.close();
        pool.close();
        fencing.close();
    }
}
