// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * The conformance kit: tests every promise of the engine interface against real servers, without the middleware. An
 * engine passes if a subclass that starts two of its servers is green. The engine's own SQL for the kit is in files
 * next to its {@link io.multimed.engine.Engine} class in the test resources, see {@link EngineSql}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
@Timeout(60)
public abstract class EngineConformance {
    private static final int SERIES = 1_000;

    private EngineUnderTest servers;
    private Replication replication;

    /** Waits for the master as long as the engine lets it, while the other tests run. */
    private CompletableFuture<@Nullable SQLException> rival;

    /** Starts two servers. */
    protected abstract EngineUnderTest start();

    @BeforeAll
    void open() throws SQLException {
        servers = start();
        replication = new Replication(servers);
        replication.run(
                "CREATE TABLE series (i INT PRIMARY KEY)",
                "INSERT INTO series VALUES "
                        + IntStream.rangeClosed(1, SERIES)
                                .mapToObj(i -> "(" + i + ")")
                                .collect(Collectors.joining(",")));
        replication.assertSame();
        rival = CompletableFuture.supplyAsync(this::compete);
    }

    private @Nullable SQLException compete() {
        try (Connection connection = servers.engine().connect(servers.master())) {
            servers.engine().masterStore().fencing().keepOut(connection);
            return null;
        } catch (SQLException e) {
            return e;
        }
    }

    @AfterAll
    void close() throws Exception {
        if (replication != null) {
            replication.close();
        }
        if (servers != null) {
            servers.close();
        }
    }

    @Nested
    @Order(1)
    class Statements extends ClassificationConformance {
        @Override
        Replication replication() {
            return replication;
        }
    }

    @Nested
    @Order(2)
    class Captured extends CaptureConformance {
        @Override
        Replication replication() {
            return replication;
        }
    }

    @Nested
    @Order(3)
    class Sealed extends SealedLogConformance {
        @Override
        Replication replication() {
            return replication;
        }
    }

    @Nested
    @Order(4)
    class Satellites extends SatelliteConformance {
        @Override
        Replication replication() {
            return replication;
        }
    }

    @Nested
    @Order(4)
    class Views extends ViewConformance {
        @Override
        Replication replication() {
            return replication;
        }
    }

    @Nested
    @Order(5)
    class Ddl extends DdlConformance {
        @Override
        Replication replication() {
            return replication;
        }
    }

    @Nested
    @Order(6)
    class Sessions extends SessionConformance {
        @Override
        Replication replication() {
            return replication;
        }
    }

    @Nested
    @Order(7)
    class Errors extends ErrorConformance {
        @Override
        Replication replication() {
            return replication;
        }
    }

    @Nested
    @Order(8)
    class Interruptions extends InterruptionConformance {
        @Override
        Replication replication() {
            return replication;
        }
    }

    @Nested
    @Order(9)
    class Sockets extends SocketConformance {
        @Override
        Replication replication() {
            return replication;
        }
    }

    /** Takes over the master: must be the last. */
    @Nested
    @Order(10)
    class Fences extends FencingConformance {
        @Override
        Replication replication() {
            return replication;
        }

        @Override
        EngineUnderTest servers() {
            return servers;
        }

        @Override
        CompletableFuture<@Nullable SQLException> rival() {
            return rival;
        }
    }
}
