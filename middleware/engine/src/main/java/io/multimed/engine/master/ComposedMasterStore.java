package io.multimed.engine.master;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A master store that consists of one object for each role; passes each call to the object of its role. */
public final class ComposedMasterStore implements MasterStore {
    private final CaptureInstaller capture;
    private final Fencing fencing;
    private final SealedLog log;
    private final DdlCapture ddl;
    private final SeedSource seedSource;
    private final LogForcing logForcing;
    private final Optional<BypassStore> bypass;

    public ComposedMasterStore(
            CaptureInstaller capture,
            Fencing fencing,
            SealedLog log,
            DdlCapture ddl,
            SeedSource seedSource,
            LogForcing logForcing,
            Optional<BypassStore> bypass) {
        this.capture = capture;
        this.fencing = fencing;
        this.log = log;
        this.ddl = ddl;
        this.seedSource = seedSource;
        this.logForcing = logForcing;
        this.bypass = bypass;
    }

    @Override
    public void install(Connection master, ReplicatedTables replicated, boolean captureBypassing) throws SQLException {
        capture.install(master, replicated, captureBypassing);
    }

    @Override
    public void captureTables(Connection master, ReplicatedTables replicated) throws SQLException {
        capture.captureTables(master, replicated);
    }

    @Override
    public boolean recapture(Connection master, ReplicatedTables replicated) throws SQLException {
        return capture.recapture(master, replicated);
    }

    @Override
    public void endForeignSessions(Connection master) throws SQLException {
        fencing.endForeignSessions(master);
    }

    @Override
    public long takeOver(Connection master) throws SQLException {
        return fencing.takeOver(master);
    }

    @Override
    public void admit(Connection master, long epoch) throws SQLException {
        fencing.admit(master, epoch);
    }

    @Override
    public long epoch(Connection master) throws SQLException {
        return fencing.epoch(master);
    }

    @Override
    public void keepOut(Connection master) throws SQLException {
        fencing.keepOut(master);
    }

    @Override
    public void endSessions(Connection master, Set<Integer> sessions) throws SQLException {
        fencing.endSessions(master, sessions);
    }

    @Override
    public Map<Integer, SessionWait> waits(Connection master, Set<Integer> sessions) throws SQLException {
        return fencing.waits(master, sessions);
    }

    @Override
    public Scn base(Connection master) throws SQLException {
        return log.base(master);
    }

    @Override
    public Scn resume(Connection master) throws SQLException {
        return log.resume(master);
    }

    @Override
    public Map<Receipt, WriteSet> sealedAfter(Connection master, Scn after) throws SQLException {
        return log.sealedAfter(master, after);
    }

    @Override
    public List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) throws SQLException {
        return log.sealed(master, after, upTo, limit);
    }

    @Override
    public Map<Receipt, Scn> sealed(Connection master, List<Receipt> receipts) throws SQLException {
        return log.sealed(master, receipts);
    }

    @Override
    public void spilled(Connection master, Spill spill, PieceConsumer piece) throws SQLException {
        log.spilled(master, spill, piece);
    }

    @Override
    public Scn drop(Connection master, Scn applied, Retention retention) throws SQLException {
        return log.drop(master, applied, retention);
    }

    @Override
    public void shareStatement(Connection openTransaction, String sql) throws SQLException {
        ddl.shareStatement(openTransaction, sql);
    }

    @Override
    public @Nullable SchemaChange withoutTemporary(Connection session, SchemaChange change) {
        return ddl.withoutTemporary(session, change);
    }

    @Override
    public boolean announceDdl(Connection openTransaction, SchemaChange change, long statement) throws SQLException {
        return ddl.announceDdl(openTransaction, change, statement);
    }

    @Override
    public void deferDdl(Connection master, boolean deferred, long epoch) throws SQLException {
        ddl.deferDdl(master, deferred, epoch);
    }

    @Override
    public void recordDdl(Connection openTransaction, @Nullable SchemaChange change, long statement)
            throws SQLException {
        ddl.recordDdl(openTransaction, change, statement);
    }

    @Override
    public boolean announcePendingDdl(Connection openTransaction, UnrecordedDdl pending) throws SQLException {
        return ddl.announcePendingDdl(openTransaction, pending);
    }

    @Override
    public void recordPendingDdl(Connection openTransaction, UnrecordedDdl pending) throws SQLException {
        ddl.recordPendingDdl(openTransaction, pending);
    }

    @Override
    public UUID historyId(Connection master) throws SQLException {
        return seedSource.historyId(master);
    }

    @Override
    public List<Relation> relations(Connection master) throws SQLException {
        return seedSource.relations(master);
    }

    @Override
    public void beginSnapshot(Connection master) throws SQLException {
        seedSource.beginSnapshot(master);
    }

    @Override
    public void forceLog(Connection master) throws SQLException {
        logForcing.forceLog(master);
    }

    @Override
    public Optional<String> describeWait(Connection master) throws SQLException {
        return logForcing.describeWait(master);
    }

    @Override
    public Optional<BypassStore> bypass() {
        return bypass;
    }
}
