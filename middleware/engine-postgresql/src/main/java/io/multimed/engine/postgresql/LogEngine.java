// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql;

import io.multimed.engine.Engine;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.postgresql.log.DirectCommits;
import io.multimed.engine.postgresql.log.LogSource;
import io.multimed.engine.postgresql.log.PositionForce;
import io.multimed.engine.postgresql.log.ReceiptExtractor;
import io.multimed.engine.postgresql.log.ReceiptInstaller;
import io.multimed.engine.postgresql.log.Receipts;
import io.multimed.engine.postgresql.log.SchemaMarks;
import io.multimed.engine.postgresql.log.StandbyErrors;
import io.multimed.engine.postgresql.log.StandbyStore;
import io.multimed.engine.postgresql.master.PostgresFencing;
import io.multimed.engine.postgresql.result.StandbyCatalog;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.SQLException;
import java.util.Optional;

/** PostgreSQL whose satellites are its own standbys. */
final class LogEngine extends PostgresEngine {
    private static final MasterStore MASTER_STORE = new MasterStore(
            new ReceiptInstaller(),
            new PostgresFencing(),
            new Receipts(),
            new SchemaMarks(),
            new LogSource(),
            new PositionForce(),
            Optional.of(new DirectCommits()));

    private static final SqlDialect DIALECT = dialect(new StandbyErrors(), new StandbyCatalog());

    @Override
    public MasterStore masterStore() {
        return MASTER_STORE;
    }

    @Override
    public Engine byLog() {
        return this;
    }

    @Override
    public WriteSetExtractor extractor(boolean durableCommits, long epoch) {
        return new ReceiptExtractor(epoch);
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
        return DIALECT;
    }

    @Override
    public SatelliteStore openSatellite(NodeAccess access, ReplicatedTables held) throws SQLException {
        return new StandbyStore(access, connectOwn(access));
    }
}
