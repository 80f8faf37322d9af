// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.Engines;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.ModelException;
import io.multimed.model.SystemModel;
import io.multimed.server.Middleware;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;

/** A middleware whose master another middleware has taken over answers no client any more, and ends. */
@Tag("slow")
@Timeout(300)
@ParameterizedClass
@EachEngine
@Tag("exhaustive")
class OvertakenMiddlewareTest {
    private static final String REASON = "another middleware has taken over";

    private final String engine;
    private final EngineSql words;

    OvertakenMiddlewareTest(String engine) {
        this.engine = engine;
        words = EngineSql.of(engine, "words");
    }

    @Test
    void shouldRefuseUpdatesAndReportItsFailure() throws Exception {
        SystemModel alone = model("").withPort(0);
        try (TestCluster other = TestCluster.withSatellites(engine, 0);
                Connection overtaken = other.connect();
                Connection direct = other.direct("master")) {
            run(overtaken, "CREATE TABLE once (id int PRIMARY KEY)");
            loseFence(direct);
            try (Middleware second = Middleware.start(alone, node -> access(other));
                    Connection connection = DriverManager.getConnection(second.jdbcUrl(), "tester", "")) {
                run(connection, "INSERT INTO once VALUES (1)");
                assertThatThrownBy(() -> run(overtaken, "INSERT INTO once VALUES (2)"))
                        .isInstanceOf(SQLException.class);
                assertThat(text(connection, "SELECT count(*) FROM once")).isEqualTo("1");
                assertFails(other.middleware());
            }
        }
    }

    /** The middleware waits for the leases of earlier ones when the next one takes over. */
    @Test
    @Tag("exhaustive")
    void shouldEndIfItIsOvertakenWhileItStarts() throws Exception {
        try (TestCluster other = TestCluster.withSatellites(engine, 0)) {
            NodeAccess master = access(other);
            SystemModel starting = model("""
                    , source: external, url: "%s", user: %s, password: ""}
                    - {name: satellite, role: satellite""".formatted(master.url(), master.user()));
            int port = freePort();
            try (Connection direct = other.direct("master")) {
                loseFence(direct);
            }
            try (Middleware late = Middleware.start(starting.withPort(port), node -> {
                if (node.name().equals("master")) {
                    return master;
                }
                takeOver(other);
                return new NodeAccess("satellite", words.statement("dead URL"), "tester", "");
            })) {
                assertFails(late); // on a slow machine, the middleware may notice it after the start
            } catch (SQLException e) {
                assertThat(e.getMessage()).contains(REASON);
            }
            assertThat(catchThrowable(() -> new Socket(InetAddress.getLoopbackAddress(), port).close()))
                    .as("nothing listens on the port")
                    .isInstanceOf(IOException.class);
        }
    }

    private static void assertFails(Middleware overtaken) {
        assertThat(overtaken.failure())
                .as(() -> "the process must end: " + overtaken.status())
                .succeedsWithin(Duration.ofSeconds(60))
                .asString()
                .contains(REASON);
    }

    /** The middleware loses this connection when the network to its master breaks for a short time. */
    private void loseFence(Connection direct) throws SQLException {
        assertThat(Sql.endSessions(direct, words, "keeper")).isPositive();
    }

    /** Does what a further middleware does. */
    private void takeOver(TestCluster other) {
        try (Connection direct = other.direct("master")) {
            loseFence(direct);
            direct.setAutoCommit(false);
            Engines.of(engine).masterStore().fencing().takeOver(direct);
            direct.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @param more text behind the role of the master */
    private SystemModel model(String more) throws ModelException {
        return SystemModel.parse(
                "database: shop%nengine: %s%nnodes:%n- {name: master, role: master%s}%n".formatted(engine, more), "m");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static NodeAccess access(TestCluster other) {
        var master = other.engine("master");
        return new NodeAccess("master", master.jdbcUrl(), master.user(), master.password());
    }
}
