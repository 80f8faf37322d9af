// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.SpanReceiver;
import io.multimed.server.testing.SpanReceiver.Span;
import io.multimed.server.testing.TestCluster;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Spans of statements reach a collector, as children of the operation of the application. */
@Tag("slow")
@Timeout(300)
class TracingTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String OPERATION = "00f067aa0ba902b7";

    private static String model(String engine, SpanReceiver collector, String sample) {
        return """
                engine: %s
                tracing: {endpoint: '%s', sample: %s}
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite-1, role: satellite, memory: 128m}
                """.formatted(engine, collector.url(), sample);
    }

    private static io.opentelemetry.api.trace.Span operation(String trace) {
        return io.opentelemetry.api.trace.Span.wrap(
                SpanContext.create(trace, OPERATION, TraceFlags.getSampled(), TraceState.getDefault()));
    }

    private static Span awaitSpan(SpanReceiver collector, String text) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(collector.spans())
                        .anyMatch(span -> text.equals(span.attributes().get("db.query.text"))));
        return collector.spans().stream()
                .filter(span -> text.equals(span.attributes().get("db.query.text")))
                .findFirst()
                .orElseThrow();
    }

    private static List<Span> phases(SpanReceiver collector, Span statement) {
        return collector.spans().stream()
                .filter(span -> span.parent().equals(statement.id()))
                .toList();
    }

    @ParameterizedTest
    @EachEngine
    void belongToTheOperationThatTheApplicationHasBegun(String engine) throws Exception {
        try (SpanReceiver collector = new SpanReceiver();
                TestCluster cluster =
                        TestCluster.of(model(engine, collector, "0")).awaitOnline();
                Connection client = cluster.connect();
                PreparedStatement update = client.prepareStatement("UPDATE t SET b = ? WHERE a = 1")) {
            Sql.run(client, "CREATE TABLE t (a int PRIMARY KEY, b varchar(20))", "INSERT INTO t VALUES (1, 'secret')");
            cluster.awaitApplied();
            try (Scope scope = operation(TRACE).makeCurrent()) {
                assertThat(scope).isNotNull();
                client.setReadOnly(true);
                assertThat(Sql.text(client, "SELECT b FROM t WHERE b = 'secret'"))
                        .isEqualTo("secret");
                client.setReadOnly(false);
                update.setString(1, "secret");
                update.executeUpdate();
                client.setAutoCommit(false);
                Sql.run(client, "INSERT INTO t VALUES (2, 'secret')");
                client.commit();
                client.setAutoCommit(true);
                assertThatThrownBy(() -> Sql.run(client, "INSERT INTO t VALUES (1, 'secret')"))
                        .isInstanceOf(SQLException.class);
            }
            Sql.run(client, "DELETE FROM t WHERE a = 2"); // belongs to no operation, and is not sampled

            Span read = awaitSpan(collector, "SELECT b FROM t WHERE b = ?");
            assertThat(read.trace()).isEqualTo(TRACE);
            assertThat(read.parent()).isEqualTo(OPERATION);
            assertThat(read.name()).isEqualTo("multimed execute");
            assertThat(read.attributes())
                    .containsEntry("db.system.name", engine)
                    .containsEntry("db.namespace", "shop")
                    .containsEntry("multimed.node", "satellite-1")
                    .containsEntry("user.name", "tester");
            assertThat(phases(collector, read))
                    .extracting(Span::name)
                    .contains("classify", "wait for freshness", "queue", "engine");

            Span written = awaitSpan(collector, "UPDATE t SET b = ? WHERE a = ?");
            assertThat(written.attributes()).containsEntry("multimed.node", "master");
            assertThat(phases(collector, written))
                    .extracting(Span::name)
                    .contains("classify", "commit group", "publish");

            Span commit = awaitSpan(collector, "COMMIT");
            assertThat(commit.name()).isEqualTo("multimed commit");
            assertThat(phases(collector, commit)).extracting(Span::name).contains("commit group", "publish");
            for (Span span : List.of(read, written, commit)) {
                assertThat(span.trace()).isEqualTo(TRACE);
                assertThat(span.parent()).isEqualTo(OPERATION);
                for (Span phase : phases(collector, span)) {
                    assertThat(phase.trace()).isEqualTo(TRACE);
                    assertThat(phase.begin()).isBetween(span.begin(), span.end());
                    assertThat(phase.end()).isBetween(phase.begin(), span.end());
                }
                assertThat(phases(collector, span).stream()
                                .mapToLong(phase -> phase.end() - phase.begin())
                                .sum())
                        .isEqualTo(span.end() - span.begin());
            }
            assertThat(collector.spans())
                    .anyMatch(span -> span.attributes().containsKey("error.type"))
                    .noneMatch(span -> span.toString().contains("secret"))
                    .noneMatch(span -> span.toString().contains("DELETE"));
        }
    }

    @Test
    void belongToTheContextThatTheApplicationGives() throws Exception {
        try (SpanReceiver collector = new SpanReceiver();
                TestCluster cluster = TestCluster.of(model("postgresql", collector, "0"));
                Connection client = cluster.connect()) {
            client.setClientInfo("traceparent", "00-%s-%s-01".formatted(TRACE, OPERATION));
            Sql.text(client, "SELECT 1 AS given");
            assertThatThrownBy(() -> client.setClientInfo("traceparent", "nonsense"))
                    .isInstanceOf(SQLClientInfoException.class)
                    .hasMessageContaining("nonsense");
            client.setClientInfo("traceparent", "00-%s-%s-00".formatted(TRACE, OPERATION));
            Sql.text(client, "SELECT 1 AS unrecorded");
            client.setClientInfo("traceparent", null);
            try (Scope scope = operation("0af7651916cd43dd8448eb211c80319c").makeCurrent()) {
                assertThat(scope).isNotNull();
                Sql.text(client, "SELECT 1 AS present");
            }
            assertThat(awaitSpan(collector, "SELECT ? AS given").trace()).isEqualTo(TRACE);
            assertThat(awaitSpan(collector, "SELECT ? AS present").trace())
                    .isEqualTo("0af7651916cd43dd8448eb211c80319c");
            assertThat(collector.spans()).noneMatch(span -> span.toString().contains("unrecorded"));
        }
    }

    /** Without a context, the middleware samples by itself. */
    @Test
    void beginATraceWithoutAnOperation() throws Exception {
        try (SpanReceiver collector = new SpanReceiver();
                TestCluster cluster = TestCluster.of(model("postgresql", collector, "1"));
                Connection client = cluster.connect()) {
            Sql.text(client, "SELECT 1 AS alone");
            Span span = awaitSpan(collector, "SELECT ? AS alone");
            assertThat(span.parent()).isEmpty();
            assertThat(span.trace()).hasSize(32);
        }
    }

    /** Neither a collector that refuses nor one that is away affects clients; lost spans are counted. */
    @Test
    @Tag("exhaustive")
    void doNotDisturbClientsIfTheyAreLost() throws Exception {
        SpanReceiver collector = new SpanReceiver();
        try (TestCluster cluster = TestCluster.of(model("postgresql", collector, "1"));
                Connection client = cluster.connect()) {
            collector.answer(400);
            Sql.text(client, "SELECT 1 AS refused");
            await().atMost(Duration.ofSeconds(30)).until(() -> lost(client) > 0);
            collector.close();
            double before = lost(client);
            for (int i = 0; i < 2_000; i++) {
                assertThat(Sql.text(client, "SELECT 1")).isEqualTo("1");
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> lost(client) > before);
        }
    }

    private static double lost(Connection client) throws SQLException {
        return Sql.rows(client, "SHOW MULTIMED METRICS").stream()
                .filter(row -> row.startsWith("multimed_spans_lost|"))
                .mapToDouble(row -> Double.parseDouble(row.substring(row.lastIndexOf('|') + 1)))
                .findFirst()
                .orElseThrow();
    }
}
