// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.model.ModelException;
import io.multimed.model.NodeSpec;
import io.multimed.model.RoutingClassSpec;
import io.multimed.model.SystemModel;
import io.multimed.model.listen.Dashboard;
import io.multimed.model.listen.Limits;
import io.multimed.model.listen.Listen;
import io.multimed.model.listen.UserLimits;
import io.multimed.model.observation.LogSettings;
import io.multimed.model.observation.Observation;
import io.multimed.model.observation.TracingSettings;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each difference between two models is found, with its effect, and shows no password. */
class ModelPlanTest {
    private static final String MASTER = "- {name: m, role: master}\n";

    private static SystemModel model(String yaml) throws ModelException {
        return SystemModel.parse(yaml, "m.yaml");
    }

    private static List<String> plan(String before, String after) throws ModelException {
        return ModelPlan.of(model(before), model(after)).changes().stream()
                .map(change -> "%s %s %s %s"
                        .formatted(change.kind().sign(), change.object(), change.key(), change.effect())
                        .replaceAll(" +", " "))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            listen: {host: localhost}                      | listen.host | RESTART
            listen: {port: 7500}                           | listen.port | RESTART
            listen: {max-clients: 5, limits: {pending-logins: 1000, pending-logins-per-address: 500}} | listen.max-clients | LIVE
            listen: {limits: {pending-logins: 900, pending-logins-per-address: 500}} | listen.limits.pending-logins | LIVE
            listen: {limits: {pending-logins-per-address: 5}} | listen.limits.pending-logins-per-address | LIVE
            listen: {limits: {clients-per-user: 5}}        | listen.limits.clients-per-user | LIVE
            listen: {limits: {clients-per-address: 5}}     | listen.limits.clients-per-address | LIVE
            listen: {limits: {statements: 5}}              | listen.limits.statements | LIVE
            listen: {limits: {statements-per-user: 5}}     | listen.limits.statements-per-user | LIVE
            listen: {limits: {acquire-timeout: 5s}}        | listen.limits.acquire-timeout | LIVE
            listen: {limits: {queued-per-client: 2m}}      | listen.limits.queued-per-client | LIVE
            listen: {limits: {memory: 64m}}                | listen.limits.memory | LIVE
            listen: {max-frame: 1m}                        | listen.max-frame | LIVE
            listen: {idle-in-transaction: 5s}              | listen.idle-in-transaction | LIVE
            listen: {idle-pinned: 5s}                      | listen.idle-pinned | LIVE
            listen: {shutdown-wait: 1500ms}                | listen.shutdown-wait | LIVE
            listen: {users-file: /tmp/users}               | listen.users-file | LIVE
            monitoring: {port: 7000}                       | monitoring | RESTART
            dashboard: {port: 7001}                        | dashboard | RESTART
            dashboard: {names: [host.example]}             | dashboard | RESTART
            log: {slow-statements: 1s}                     | log.slow-statements | RESTART
            log: {slow-statements: 2s}                     | log.slow-statements | RESTART
            log: {audit-file: /tmp/audit}                  | log.audit-file | RESTART
            tracing: {sample: 0.5}                         | tracing | RESTART
            database: shop                                 | database | RESTART
            freshness: {policy: wait}                      | freshness.policy | LIVE
            freshness: {wait: 2s}                          | freshness.wait | LIVE
            freshness: {without-master: read}              | freshness.without-master | LIVE
            commit: {order: serial}                        | commit.order | RESTART
            reads-before-write: master                     | reads-before-write | RESTART
            bypass: capture                                | bypass | RESTART
            queue: {bound: 1m}                             | queue.bound | LIVE
            queue: {drop-after: 512m}                      | queue.drop-after | LIVE
            queue: {kept-for: 1m}                          | queue.kept-for | LIVE
            queue: {kept-size: 32m}                        | queue.kept-size | LIVE
            cache: {size: 1m}                              | cache.size | RESTART
            optimization: C2                               | optimization | LIVE
            share-cores: true                              | share-cores | LIVE
            """)
    void settings(String yaml, String key, String effect) throws Exception {
        assertThat(plan("nodes:\n" + MASTER, yaml + "\nnodes:\n" + MASTER))
                .containsExactly("~ model %s %s".formatted(key, effect));
        assertThat(plan(yaml + "\nnodes:\n" + MASTER, "nodes:\n" + MASTER))
                .containsExactly("~ model %s %s".formatted(key, effect));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cores: 1                                           | cores | LIVE
            memory: 1g                                         | memory | ENGINE
            data: /tmp/there                                   | data | ENGINE
            port: 5544                                         | port | ENGINE
            pool: 3                                            | pool | REJOIN
            settings: {work_mem: 1MB}                          | settings.work_mem | ENGINE
            tables: [a, b.c]                                   | tables | REJOIN
            indexes: ["t (a)"]                                 | indexes | REJOIN
            materialized-views: [{view: v, indexes: [a]}]      | materialized-views | REJOIN
            """)
    void keysOfASatellite(String keys, String key, String effect) throws Exception {
        String begin = "optimization: C2\nnodes:\n" + MASTER + "- {name: s, role: satellite";
        assertThat(plan(begin + "}", begin + ", " + keys + "}"))
                .containsExactly("~ node s %s %s".formatted(key, effect));
    }

    @Test
    void anExternalSatelliteShowsNoPassword() throws Exception {
        String begin = "nodes:\n" + MASTER + "- {name: s, role: satellite, source: external, ";
        String before = begin + "url: 'jdbc:postgresql://a/b?password=old', user: u, password: secret1}";
        String after = begin + "url: 'jdbc:postgresql://a/b?password=new', user: v, password: secret2}";
        ModelPlan plan = ModelPlan.of(model(before), model(after));
        assertThat(plan.changes()).extracting(PlannedChange::key).containsExactly("user", "password");
        assertThat(plan.toString()).doesNotContain("secret", "old", "new");
        assertThat(plan(before, after.replace("secret2", "secret1").replace("user: v", "user: u")))
                .as("only the password in the URL")
                .containsExactly("~ node s password ENGINE");
        assertThat(plan(before, before)).isEmpty();
    }

    @Test
    void theMastersEngineIsChangedByARestartOnly() throws Exception {
        assertThat(
                        plan(
                                "nodes:\n" + MASTER,
                                "nodes:\n- {name: m, role: master, cores: 0, memory: 1g, pool: 5, settings: {work_mem: 1MB}}\n"))
                .containsExactly(
                        "~ node m cores LIVE",
                        "~ node m memory RESTART",
                        "~ node m pool RESTART",
                        "~ node m settings.work_mem RESTART");
        assertThat(plan("nodes:\n" + MASTER, "nodes:\n- {name: other, role: master}\n"))
                .containsExactly("+ node other RESTART", "- node m RESTART");
    }

    @Test
    void partsComeAndGo() throws Exception {
        String before = """
                listen:
                  users: [{name: ann, password: a, administrator: true}, {name: bob, password: b},
                          {name: cid, password: c, role: one}]
                classes: [{name: reports, pattern: x, concurrency: 2}, {name: old, tables: [t]}]
                nodes:
                - {name: m, role: master}
                - {name: s, role: satellite}
                """;
        String after = """
                listen:
                  users: [{name: ann, password: a}, {name: bob, password: c}, {name: eve, password: e},
                          {name: cid, password: c, role: two}]
                classes: [{name: reports, pattern: "y", concurrency: 3}]
                nodes:
                - {name: m, role: master}
                - {name: t, role: satellite}
                """;
        assertThat(plan(before, after))
                .containsExactly(
                        "~ class reports pattern LIVE",
                        "~ class reports concurrency LIVE",
                        "- class old LIVE",
                        "+ node t LIVE",
                        "- node s LIVE",
                        "~ user ann administrator LIVE",
                        "~ user bob password LIVE",
                        "+ user eve LIVE",
                        "~ user cid role LIVE");
        assertThat(plan(before, before)).as("equal patterns and passwords").isEmpty();
    }

    @Test
    void passThroughOfUsers() throws Exception {
        String begin = "listen: {tls: {certificate: /c.p12}";
        String end = "}\nnodes:\n" + MASTER;
        assertThat(plan(begin + end, begin + ", pass-through: true" + end))
                .containsExactly("~ model listen.pass-through LIVE");
        SystemModel running = model(begin + end);
        SystemModel wanted = model(begin + ", pass-through: true" + end);
        assertThat(LiveModel.withUsers(running, wanted).listen().passThrough()).isTrue();
        assertThat(LiveModel.of(running, wanted).listen().passThrough())
                .as("the users are changed last")
                .isFalse();
    }

    @Test
    void theOrderOfClassesMatters() throws Exception {
        String classes = "classes: [{name: a, tables: [t]}, {name: b, tables: [t]}]\nnodes:\n" + MASTER;
        String turned = "classes: [{name: b, tables: [t]}, {name: a, tables: [t]}]\nnodes:\n" + MASTER;
        assertThat(plan(classes, turned)).containsExactly("~ model classes LIVE");
    }

    @Test
    void plansWithTheSameChangesHaveTheSameFingerprint() throws Exception {
        SystemModel one = model("nodes:\n" + MASTER);
        SystemModel two = model("freshness: {wait: 2s}\nnodes:\n" + MASTER);
        SystemModel three = model("freshness: {wait: 3s}\nnodes:\n" + MASTER);
        assertThat(ModelPlan.of(one, two).fingerprint())
                .isEqualTo(ModelPlan.of(one, two).fingerprint())
                .isNotEqualTo(ModelPlan.of(one, three).fingerprint());
    }

    @Test
    void theLivePartContainsWhatThePlanCallsLive() throws Exception {
        SystemModel running = model("nodes:\n" + MASTER);
        SystemModel wanted = model("""
                listen: {port: 7500, max-clients: 5, shutdown-wait: 1s, users: [{name: ann, password: a}],
                         limits: {clients-per-user: 1, clients-per-address: 2, pending-logins: 3, statements: 4,
                                  statements-per-user: 5, acquire-timeout: 6s, queued-per-client: 7m, memory: 64m}}
                freshness: {wait: 2s}
                cache: {size: 1m}
                classes: [{name: a, tables: [t]}]
                nodes:
                - {name: m, role: master}
                """);
        SystemModel live = LiveModel.withUsers(LiveModel.of(running, wanted), wanted);
        assertThat(ModelPlan.of(live, wanted).changes())
                .extracting(PlannedChange::key)
                .containsExactly("listen.port", "cache.size");
        assertThat(ModelPlan.of(live, wanted).live()).isEmpty();
    }

    /** A new part of the model must be compared, too: otherwise a change of it would silently not be made. */
    @Test
    void allPartsAreCompared() {
        assertThat(components(SystemModel.class))
                .containsExactly(
                        "listen", "observation", "database", "reads", "commits", "optimization", "shareCores", "nodes");
        assertThat(components(Observation.class)).containsExactly("monitoring", "dashboard", "log", "tracing");
        assertThat(components(SystemModel.Reads.class)).containsExactly("freshness", "beforeWrite", "cache", "classes");
        assertThat(components(SystemModel.Commits.class))
                .containsExactly("order", "propagation", "receipts", "bypass", "queue");
        assertThat(components(Listen.class))
                .containsExactly(
                        "host",
                        "port",
                        "tls",
                        "maxClients",
                        "maxFrame",
                        "limits",
                        "idle",
                        "shutdownWait",
                        "users",
                        "usersFile",
                        "passThrough",
                        "embedded");
        assertThat(components(Limits.class))
                .containsExactly(
                        "clientsPerAddress",
                        "pendingLogins",
                        "pendingLoginsPerAddress",
                        "statements",
                        "perUser",
                        "acquireTimeout",
                        "queuedPerClient",
                        "memory");
        assertThat(components(UserLimits.class)).containsExactly("clients", "statements");
        assertThat(components(Listen.Tls.class))
                .containsExactly("certificate", "key", "keyPassword", "clientAuthorities", "required");
        assertThat(components(Listen.User.class))
                .containsExactly("name", "password", "administrator", "role", "limits");
        assertThat(components(Listen.Role.class)).containsExactly("name", "password");
        assertThat(components(Dashboard.class)).containsExactly("host", "port", "names");
        assertThat(components(LogSettings.class))
                .containsExactly("slowStatements", "writesSlowStatements", "auditFile");
        assertThat(components(TracingSettings.class)).containsExactly("endpoint", "sample");
        assertThat(components(RoutingClassSpec.class))
                .containsExactly("name", "tables", "pattern", "slowerThan", "concurrency", "queue", "longestWait");
        assertThat(components(NodeSpec.class))
                .containsExactly(
                        "name",
                        "role",
                        "engine",
                        "program",
                        "cores",
                        "memory",
                        "data",
                        "port",
                        "pool",
                        "settings",
                        "content",
                        "classes");
        assertThat(components(NodeSpec.Program.class)).containsExactly("source", "installation", "external");
        assertThat(components(NodeSpec.Data.class)).containsExactly("storage", "folder");
        assertThat(components(NodeSpec.Content.class)).containsExactly("tables", "indexes", "views");
    }

    private static List<String> components(Class<?> record) {
        return Stream.of(record.getRecordComponents())
                .map(RecordComponent::getName)
                .toList();
    }
}
