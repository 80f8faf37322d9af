// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql;

import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.Engine;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.master.Fencing;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.postgresql.connection.PostgresConnections;
import io.multimed.engine.postgresql.log.DirectCommits;
import io.multimed.engine.postgresql.log.LogSource;
import io.multimed.engine.postgresql.log.NoReceipt;
import io.multimed.engine.postgresql.log.OrdinaryFencing;
import io.multimed.engine.postgresql.log.PositionForce;
import io.multimed.engine.postgresql.log.ReceiptExtractor;
import io.multimed.engine.postgresql.log.ReceiptInstaller;
import io.multimed.engine.postgresql.log.Receipts;
import io.multimed.engine.postgresql.log.Requirements;
import io.multimed.engine.postgresql.log.SchemaMarks;
import io.multimed.engine.postgresql.log.StandbyErrors;
import io.multimed.engine.postgresql.log.StandbySnapshot;
import io.multimed.engine.postgresql.log.StandbyStore;
import io.multimed.engine.postgresql.log.StandbyStreaming;
import io.multimed.engine.postgresql.log.UnwrittenReceipts;
import io.multimed.engine.postgresql.log.WrittenReceipt;
import io.multimed.engine.postgresql.master.PostgresFencing;
import io.multimed.engine.postgresql.result.StandbyCatalog;
import io.multimed.engine.postgresql.sql.PostgresReader;
import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import java.sql.SQLException;
import java.util.Optional;

/**
 * PostgreSQL whose satellites are its own standbys. With receipts, the master has Multimed's schema, which a superuser
 * creates. Without, nothing is installed, and the master's user is an ordinary role (architecture 4.11).
 */
final class LogEngine extends PostgresEngine {
    private final boolean receipts;
    private final MasterStore masterStore;
    private final SqlDialect dialect;

    LogEngine(boolean receipts) {
        this.receipts = receipts;
        this.masterStore = receipts ? installed() : ordinary();
        this.dialect = dialect(
                new StandbyErrors(),
                new StandbyStreaming(),
                new StandbyCatalog(receipts),
                PostgresReader.ofStandbys(receipts));
    }

    private static MasterStore installed() {
        Fencing fencing = new PostgresFencing();
        return new MasterStore(
                new ReceiptInstaller(),
                fencing,
                new Receipts(),
                new SchemaMarks(true, fencing),
                new LogSource(),
                new PositionForce(),
                Optional.of(DirectCommits.byMarks()));
    }

    private static MasterStore ordinary() {
        Fencing fencing = new OrdinaryFencing();
        return new MasterStore(
                new Requirements(),
                fencing,
                new UnwrittenReceipts(),
                new SchemaMarks(false, fencing),
                new LogSource(),
                new PositionForce(),
                Optional.of(DirectCommits.byStatistics()));
    }

    /** Nothing on the master admits sessions, if nothing is installed there. */
    @Override
    HikariConfig admitted(NodeAccess access, int size, String kind, long epoch) {
        return receipts ? super.admitted(access, size, kind, epoch) : PostgresConnections.pool(access, size, kind);
    }

    @Override
    public MasterStore masterStore() {
        return masterStore;
    }

    @Override
    public Engine byLog(boolean receiptsWanted) {
        return receiptsWanted == receipts ? this : new LogEngine(receiptsWanted);
    }

    @Override
    public WriteSetExtractor extractor(boolean durableCommits, long epoch) {
        return new ReceiptExtractor(receipts ? new WrittenReceipt(epoch) : new NoReceipt());
    }

    @Override
    public boolean hasStandbys() {
        return true;
    }

    /** Roles would read on standbys with the privileges of the master's user. */
    @Override
    public boolean supportsRoles() {
        return false;
    }

    @Override
    public boolean groupsRoles() {
        return false;
    }

    @Override
    public SqlDialect dialect() {
        return dialect;
    }

    @Override
    public SatelliteStore openSatellite(NodeAccess access, ReplicatedTables held) throws SQLException {
        return new StandbyStore(access, connectOwn(access));
    }

    @Override
    public CopySnapshot openSnapshot(NodeAccess access) throws SQLException {
        return new StandbySnapshot(access);
    }

    /** Returns the position as a pg_lsn, such as 0/3000A10. */
    @Override
    public String display(Scn scn) {
        return "%X/%X".formatted(scn.value() >>> Integer.SIZE, scn.value() & 0xFFFF_FFFFL);
    }
}
