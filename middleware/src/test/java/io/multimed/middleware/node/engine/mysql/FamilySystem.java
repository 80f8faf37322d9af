package io.multimed.middleware.node.engine.mysql;

import static org.awaitility.Awaitility.await;

import io.multimed.deploy.engine.LocalEngines;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.middleware.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** A master with few connections for clients and one satellite, for tests of what clients see: which node answered, and who keeps a connection. */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FamilySystem {
    final String engine;
    private final int pool;
    TestCluster cluster;

    /** @param pool the master's connections for clients */
    FamilySystem(String engine, int pool) {
        this.engine = engine;
        this.pool = pool;
    }

    @BeforeAll
    void start() throws Exception {
        LocalEngines.missing(engine).ifPresent(why -> Assumptions.abort(why));
        cluster = TestCluster.of("""
                        engine: %s
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m, pool: %d}
                        - {name: satellite, role: satellite, memory: 128m}
                        """.formatted(engine, pool)).awaitOnline();
        fill();
    }

    abstract void fill() throws SQLException;

    @AfterAll
    void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** A client that closes its connection does not wait for an answer. */
    @BeforeEach
    void awaitTheEndOfTheClientsBefore() {
        await().atMost(Duration.ofMinutes(3)).until(() -> pinned().isEmpty());
    }

    String pinned() {
        return cluster.middleware().status().nodes().get(0).pinned();
    }

    static String node(Connection connection) throws SQLException {
        return connection.unwrap(MultimedConnection.class).lastNode();
    }
}
