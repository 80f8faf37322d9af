// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.Engine;
import io.multimed.engine.master.Fencing;
import io.multimed.engine.pool.ConnectionPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Tests that only one middleware at a time numbers the commits of a master, and that transactions of an earlier
 * middleware never commit.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class FencingConformance extends ConformanceTest {
    abstract EngineUnderTest servers();

    /** Returns the outcome of another middleware's attempt to keep out others: null if it succeeded. */
    abstract CompletableFuture<@Nullable SQLException> rival();

    @Test
    @Order(1)
    void shouldAdmitTheCurrentEpoch() throws SQLException {
        assertThat(replication().store().fencing().epoch(replication().fencing()))
                .isEqualTo(replication().epoch());
        replication()
                .store()
                .fencing()
                .admit(replication().fencing(), replication().epoch());
    }

    @Test
    @Order(2)
    void shouldEndSessionsWithTheirTransactions() throws SQLException {
        replication().run("CREATE TABLE fenced (id INT PRIMARY KEY)");
        Connection connection = replication().connect();
        Sql.run(connection, "INSERT INTO fenced VALUES (1)");
        int session = replication().engine().session(connection);
        try (Connection own = replication().engine().connect(replication().masterAccess())) {
            replication().store().fencing().endSessions(own, Set.of(session));
        }
        assertThatThrownBy(() -> replication().commit(connection)).isInstanceOf(Exception.class);
        replication().evict(connection);
        replication().run("INSERT INTO fenced VALUES (1)"); // neither the row nor its lock is there
        replication().assertSame();
    }

    @Test
    @Order(3)
    void shouldKeepOutAnotherMiddleware() {
        assertThat((Object) rival().join()).isInstanceOf(SQLException.class);
    }

    /** The next middleware starts; the one before has left a transaction open and still runs. */
    @Test
    @Order(4)
    void shouldFenceOffAnEarlierMiddleware() throws SQLException {
        Engine engine = replication().engine();
        Connection old = replication().connect();
        Sql.run(old, "INSERT INTO fenced VALUES (2)");
        long oldEpoch = replication().epoch();
        replication().fencing().close();
        try (Connection fencing = engine.connect(servers().master())) {
            engine.masterStore().fencing().endForeignSessions(fencing);
            long epoch = engine.masterStore().fencing().takeOver(fencing);
            engine.masterStore().fencing().endForeignSessions(fencing);
            assertThat(epoch).isNotEqualTo(oldEpoch);
            assertThatThrownBy(() -> engine.masterStore().fencing().admit(fencing, oldEpoch))
                    .extracting("SQLState")
                    .isEqualTo(Fencing.OVERTAKEN);
            fencing.rollback();
            engine.masterStore().fencing().admit(fencing, epoch);
            assertThatThrownBy(() -> replication().commit(old)).isInstanceOf(Exception.class);
            try (ConnectionPool late = engine.groupPool(servers().master(), 1, oldEpoch)) {
                assertThatThrownBy(late::getConnection).isInstanceOf(SQLException.class);
            }
            try (ConnectionPool pool = engine.masterPool(servers().master(), 1, true, engine.groupIsolation(), epoch);
                    Connection next = pool.getConnection()) {
                assertThat(Sql.text(next, "SELECT COUNT(*) FROM fenced")).isEqualTo("1");
                next.rollback();
            }
        }
        replication().evict(old);
    }
}
