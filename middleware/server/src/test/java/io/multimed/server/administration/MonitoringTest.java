// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.administration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.node.Refusals;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks the metrics and the health of a running middleware. */
@Timeout(300)
@Tag("exhaustive")
class MonitoringTest {
    private static final HttpClient BROWSER = HttpClient.newHttpClient();

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of("""
                        monitoring: {port: 0}
                        cache: {size: 16m}
                        classes: [{name: reports, tables: [heavy], concurrency: 1}]
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m}
                        - {name: satellite-1, role: satellite, memory: 128m}
                        """).awaitOnline();
        cluster.run("CREATE TABLE t (a int PRIMARY KEY)", "INSERT INTO t VALUES (1)");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        int port =
                Objects.requireNonNull(cluster.middleware().monitoringAddress()).getPort();
        URI page = URI.create("http://127.0.0.1:%d%s".formatted(port, path));
        return BROWSER.send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Returns the value of a metric, by the beginning of its line; 0 if there is none. */
    private static double metric(String begin) throws Exception {
        Matcher line = Pattern.compile("^" + Pattern.quote(begin) + "([{,}][^ ]*)? ([0-9.E+]+)$", Pattern.MULTILINE)
                .matcher(get("/metrics").body());
        return line.find() ? Double.parseDouble(line.group(2)) : 0;
    }

    @Test
    void countsRequestsByKindNodeAndOutcome() throws Exception {
        String onSatellite =
                "multimed_requests_seconds_count{node=\"satellite-1\",outcome=\"success\",request=\"execute\"";
        String onMaster = "multimed_requests_seconds_count{node=\"master\",outcome=\"success\",request=\"execute\"";
        double reads = metric(onSatellite);
        double updates = metric(onMaster);
        double refused = metric("multimed_errors_total{sqlstate=\"42P01\"");
        cluster.awaitApplied();
        try (Connection client = cluster.connect()) {
            client.setReadOnly(true);
            for (int i = 0; i < 5; i++) {
                Sql.text(client, "SELECT a FROM t");
            }
            client.setReadOnly(false);
            Sql.run(client, "UPDATE t SET a = a", "UPDATE t SET a = a");
            assertThatThrownBy(() -> Sql.run(client, "UPDATE missing SET a = 1"))
                    .isInstanceOf(SQLException.class);
        }
        assertThat(metric(onSatellite)).isEqualTo(reads + 5);
        assertThat(metric(onMaster)).isEqualTo(updates + 2);
        assertThat(metric("multimed_errors_total{sqlstate=\"42P01\"")).isEqualTo(refused + 1);
        assertThat(metric("multimed_user_requests_total{user=\"tester\"")).isGreaterThanOrEqualTo(8);
        assertThat(metric("multimed_routes_total{reason=\"update\"")).isGreaterThanOrEqualTo(2);
        assertThat(get("/metrics").body())
                .contains("multimed_requests_seconds_bucket{node=\"master\"")
                .contains("le=\"0.001\"");
    }

    @Test
    void showsNodesCommitsCacheClassesAndTheVirtualMachine() throws Exception {
        double commits = metric("multimed_commits_total");
        cluster.run("UPDATE t SET a = a");
        cluster.awaitApplied();
        assertThat(metric("multimed_commits_total")).isEqualTo(commits + 1);
        assertThat(metric("multimed_node_online{node=\"master\",role=\"master\""))
                .isEqualTo(1);
        assertThat(metric("multimed_node_online{node=\"satellite-1\",role=\"satellite\""))
                .isEqualTo(1);
        assertThat(metric("multimed_scn")).isEqualTo(metric("multimed_node_applied_scn{node=\"satellite-1\""));
        assertThat(metric("multimed_clients_max")).isEqualTo(1_000);
        assertThat(get("/metrics").body())
                .contains(
                        "multimed_cache_hits_total",
                        "multimed_class_refused_total{class=\"reports\"}",
                        "jvm_memory_used_bytes");
        try (Connection client = cluster.connect()) {
            assertThat(metric("multimed_clients")).isEqualTo(1);
            assertThat(Sql.rows(client, "SHOW MULTIMED METRICS").toString())
                    .contains("multimed_node_online|node=satellite-1, role=satellite|1")
                    .contains("multimed_requests_count");
        }
    }

    @Test
    void measuresGroupsFlushesWaitsAndAppliers() throws Exception {
        double groups = metric("multimed_commit_group_size_count");
        double applied = metric("multimed_node_applied_writesets_total{node=\"satellite-1\",role=\"satellite\"");
        double waits = metric("multimed_freshness_wait_seconds_count");
        double failed = metric("multimed_user_errors_total{user=\"tester\"");
        cluster.run("UPDATE t SET a = a", "UPDATE t SET a = a");
        cluster.awaitApplied();
        try (Connection client = cluster.connect()) {
            client.setReadOnly(true);
            Sql.text(client, "SELECT a + 7 FROM t");
            client.setReadOnly(false);
            assertThatThrownBy(() -> Sql.run(client, "UPDATE missing SET a = 1"))
                    .isInstanceOf(SQLException.class);
        }
        assertThat(metric("multimed_commit_group_size_count")).isEqualTo(groups + 2);
        assertThat(metric("multimed_node_applied_writesets_total{node=\"satellite-1\",role=\"satellite\""))
                .isEqualTo(applied + 2);
        assertThat(metric("multimed_node_apply_seconds_total{node=\"satellite-1\",role=\"satellite\""))
                .isPositive();
        assertThat(metric("multimed_freshness_wait_seconds_count")).isGreaterThan(waits);
        assertThat(metric("multimed_user_errors_total{user=\"tester\"")).isEqualTo(failed + 1);
        assertThat(get("/metrics").body())
                .contains(
                        "multimed_commit_flush_seconds_bucket",
                        "multimed_commit_group_size_bucket{le=\"4.0\"}",
                        "multimed_freshness_waiting 0.0",
                        "multimed_node_queue_bytes{node=\"satellite-1\"",
                        "multimed_node_waiting{node=\"master\"");
    }

    /** One series for each limit, whatever clients do. */
    @Test
    void showsTheRefusalsOfEachLimit() throws Exception {
        assertThat(get("/metrics").body().lines().filter(line -> line.startsWith("multimed_limit_refusals_total{")))
                .extracting(line -> line.replaceFirst(" .*", ""))
                .containsExactlyInAnyOrder(Stream.of(Refusals.Limit.values())
                        .map(limit -> "multimed_limit_refusals_total{limit=\"%s\"}".formatted(limit.key()))
                        .toArray(String[]::new));
        String keys = Files.readString(Path.of("..", "..", "docs", "operations.md"));
        assertThat(Refusals.Limit.values()).allSatisfy(limit -> assertThat(keys).contains(limit.key() + "`"));
    }

    /** SHOW MULTIMED METRICS and the port return the same metrics, except for the buckets of histograms. */
    @Test
    void sqlReturnsTheMetricsOfThePort() throws Exception {
        try (Connection client = cluster.connect()) {
            String sql = Sql.rows(client, "SHOW MULTIMED METRICS").toString();
            Pattern.compile("^# TYPE (multimed_\\w+) (\\w+)$", Pattern.MULTILINE)
                    .matcher(get("/metrics").body())
                    .results()
                    .map(each -> each.group(1)
                            .replaceFirst("_(seconds_)?(total|max)$", "")
                            .replaceFirst("_seconds$", ""))
                    .forEach(name -> assertThat(sql).contains(name));
        }
    }

    /** A label with a value for each client would fill the memory of the monitoring system. */
    @Test
    void boundsTheNumberOfUsers() throws Exception {
        for (int i = 0; i < 120; i++) {
            DriverManager.getConnection(cluster.url(), "user " + i, "").close();
        }
        String body = get("/metrics").body();
        assertThat(body).contains("multimed_user_requests_total{user=\"other\"}");
        assertThat(body.lines().filter(line -> line.startsWith("multimed_user_requests_total")))
                .hasSize(101);
    }

    @Test
    void reportsItsHealth() throws Exception {
        assertThat(get("/health/live").statusCode()).isEqualTo(200);
        assertThat(get("/health/ready").body()).isEqualTo("ready\n");
        assertThat(get("/metrics/x").statusCode()).isEqualTo(404);
        assertThat(get("/").statusCode()).isEqualTo(404);
    }

    /** The files that a monitoring system loads name no metric that does not exist. */
    @Test
    void theDashboardAndTheAlertsNameExistingMetrics() throws Exception {
        assertThatThrownBy(() -> cluster.run("UPDATE missing SET a = 1")).isInstanceOf(SQLException.class);
        String known = get("/metrics").body();
        for (String file : new String[] {"grafana-dashboard.json", "alerts.yaml"}) {
            String text = Files.readString(Path.of("..", "..", "deploy", "monitoring", file));
            Matcher name = Pattern.compile("\\b(multimed|jvm)_[a-z_]+").matcher(text);
            int names = 0;
            while (name.find()) {
                assertThat(known).as("the metrics in %s", file).containsPattern("(?m)^" + name.group() + "[{ ]");
                names++;
            }
            assertThat(names).as(file).isGreaterThan(8);
        }
    }
}
