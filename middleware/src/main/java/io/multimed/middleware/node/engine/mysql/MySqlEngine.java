package io.multimed.middleware.node.engine.mysql;

import com.mysql.cj.jdbc.JdbcConnection;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.multimed.middleware.extraction.WriteSetExtractor;
import io.multimed.middleware.node.engine.CopySnapshot;
import io.multimed.middleware.node.engine.Engine;
import io.multimed.middleware.node.engine.HeldTables;
import io.multimed.middleware.node.engine.MasterStore;
import io.multimed.middleware.node.engine.NodeAccess;
import io.multimed.middleware.node.engine.Pools;
import io.multimed.middleware.node.engine.SatelliteStore;
import io.multimed.middleware.node.engine.SqlDialect;
import java.sql.Connection;
import java.sql.SQLException;

/** MariaDB or MySQL through MySQL Connector/J. Their commits are durable by themselves and share the engine's own group commit, whatever is asked for. */
public final class MySqlEngine implements Engine {
    /** The family's folder of scripts. */
    static final String FOLDER = "mysql";

    private final String id;

    /** @param id the member of the family, as the System Model writes it */
    public MySqlEngine(String id) {
        this.id = id;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public WriteSetExtractor extractor(boolean durableCommits) {
        return new MySqlExtractor();
    }

    @Override
    public HikariDataSource masterPool(NodeAccess access, int size, boolean durableCommits, long epoch) {
        HikariConfig config = admitted(access, size, "master", epoch);
        config.setAutoCommit(false);
        return new HikariDataSource(config);
    }

    @Override
    public HikariDataSource impatientPool(NodeAccess access, int size, long epoch) {
        return new HikariDataSource(Pools.impatient(admitted(access, size, "impatient", epoch)));
    }

    private static HikariConfig admitted(NodeAccess access, int size, String kind, long epoch) {
        return Pools.admitted(Connections.pool(access, size, kind), MySqlMasterStore.admission(epoch));
    }

    @Override
    public HikariDataSource readerPool(NodeAccess access, int size) {
        HikariConfig config = Connections.pool(access, size, "reader");
        config.setReadOnly(true);
        config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        return new HikariDataSource(config);
    }

    @Override
    public Connection connect(NodeAccess access) throws SQLException {
        return Connections.own(access);
    }

    @Override
    public int session(Connection connection) {
        try {
            return (int) connection.unwrap(JdbcConnection.class).getId();
        } catch (SQLException e) {
            return 0;
        }
    }

    @Override
    public MasterStore masterStore() {
        return new MySqlMasterStore();
    }

    @Override
    public SatelliteStore openSatellite(NodeAccess access, HeldTables held) throws SQLException {
        return new MySqlSatellite(access, held);
    }

    @Override
    public CopySnapshot openSnapshot(NodeAccess access) throws SQLException {
        return new MySqlSnapshot(access);
    }

    @Override
    public SqlDialect dialect() {
        return new MySqlDialect();
    }
}
