// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.MiddlewareProcess;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.TestPropagation;
import io.multimed.deploy.launcher.TestTransport;
import io.multimed.embedded.EmbeddedUrl;
import io.multimed.model.SystemModel;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An engine with the engine's own driver, and Multimed with the same kind of engine: with the same database, user and
 * data. The engines, the middleware and this process, which is the client, have three different time zones.
 */
final class TwoDatabases implements AutoCloseable {
    private static final String MODEL = """
            engine: %s
            listen: {port: 0}
            database: shop
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m, settings: {%s}}
            - {name: satellite, role: satellite, memory: 128m, settings: {%s}}
            """;

    static final String MIDDLEWARE_ZONE = "Asia/Kolkata";
    private static final Pattern READY = Pattern.compile("ready: (\\S+)");

    private final StateFolder state = StateFolder.temporary("multimed-difference-");
    private final StateFolder plainState = StateFolder.temporary("multimed-difference-");
    private final RunningEngine plain;
    private final Middleware middleware;

    /** The middleware of the second database. */
    private interface Middleware extends AutoCloseable {
        String url();

        @Override
        void close();
    }

    /** As a process of its own, in another time zone. */
    private record OfOwnProcess(MiddlewareProcess process) implements Middleware {
        static OfOwnProcess start(String model, StateFolder state) throws Exception {
            OfOwnProcess middleware = new OfOwnProcess(new MiddlewareProcess(
                    Files.writeString(state.path().resolve("model.yaml"), model),
                    state.path().resolve("up.log"),
                    List.of("-Duser.timezone=" + MIDDLEWARE_ZONE)));
            try {
                middleware.process.start();
                middleware.process.awaitSatellites();
                return middleware;
            } catch (RuntimeException e) {
                middleware.close();
                throw e;
            }
        }

        @Override
        public String url() {
            Matcher ready = READY.matcher(process.printed());
            if (!ready.find()) {
                throw new IllegalStateException("no URL in: " + process.printed());
            }
            return ready.group(1);
        }

        @Override
        public void close() {
            process.close();
        }
    }

    /** As a dispatcher in the process of the clients. */
    private record Embedded(Cluster cluster, EmbeddedUrl within) implements Middleware {
        static Embedded start(SystemModel model, StateFolder state) throws Exception {
            Cluster cluster = Cluster.start(model, state, step -> {});
            cluster.awaitSatellites();
            return new Embedded(cluster, new EmbeddedUrl(cluster.middleware()));
        }

        @Override
        public String url() {
            return within.jdbcUrl();
        }

        @Override
        public void close() {
            within.close();
            cluster.close();
        }
    }

    TwoDatabases(EngineUnderTest engine) throws Exception {
        String text = TestPropagation.chosen(MODEL.formatted(
                engine.id(), engine.family().settings(), engine.family().settings()));
        SystemModel model = SystemModel.parse(text, "test");
        plain = Launchers.start(model.nodes().get(0), model.database(), plainState);
        try {
            middleware = TestTransport.isEmbedded() ? Embedded.start(model, state) : OfOwnProcess.start(text, state);
        } catch (Exception e) {
            plain.close();
            throw e;
        }
    }

    Side engines() {
        return new Side(plain.jdbcUrl(), plain.user(), plain.password());
    }

    Side ours() {
        return new Side(middleware.url(), plain.user(), plain.password());
    }

    /** The same statements on both. */
    void run(List<String> statements) throws SQLException {
        for (Side side : List.of(engines(), ours())) {
            try (Connection connection = side.connect();
                    Statement statement = connection.createStatement()) {
                for (String sql : statements) {
                    statement.execute(sql);
                }
            }
        }
    }

    @Override
    public void close() {
        middleware.close();
        plain.close();
        state.discard();
        plainState.discard();
    }
}
