// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.multimed.model.listen.Listen;
import io.multimed.model.value.ByteSize;
import io.multimed.model.value.CoreSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that valid models are read completely, and that each error of an invalid model is reported with its line and
 * key.
 */
class SystemModelTest {
    private static List<String> problems(String yaml) {
        ModelException failure = catchThrowableOfType(ModelException.class, () -> SystemModel.parse(yaml, "m.yaml"));
        return failure.problems().stream()
                .map(problem -> problem.line() + " " + problem.key())
                .toList();
    }

    @Test
    void shouldReadAModelWithItsDefaults() throws Exception {
        SystemModel model = SystemModel.parse("""
                database: shop
                bypass: capture
                freshness: {policy: wait, wait: 2s}
                nodes:
                - {name: m, role: master, cores: "0-3,8", pool: 5, settings: {work_mem: 16MB}}
                - {name: s, role: satellite, cores: 4}
                """, "m.yaml");
        assertThat(model.database()).isEqualTo("shop");
        assertThat(model.commits().bypass()).isEqualTo(Bypass.CAPTURE);
        assertThat(model.commits().order()).isEqualTo(CommitOrdering.GROUP);
        assertThat(model.reads().freshness())
                .isEqualTo(new Freshness(Freshness.Policy.WAIT, Duration.ofSeconds(2), Freshness.WithoutMaster.REFUSE));
        assertThat(model.master().cores()).hasToString("0,1,2,3,8");
        assertThat(model.master().settings()).containsEntry("work_mem", "16MB");
        assertThat(model.master().data().storage()).isEqualTo(Storage.DISK);
        assertThat(model.satellites()).hasSize(1);
        assertThat(model.satellites().get(0).data().storage()).isEqualTo(Storage.MEMORY);
        assertThat(model.listen().host()).isEqualTo("127.0.0.1");
    }

    @Test
    void shouldReadAModelWithStandbys() throws Exception {
        SystemModel model = SystemModel.parse("""
                propagation: log
                nodes:
                - {name: m, role: master}
                - {name: s, role: satellite}
                """, "m.yaml");
        assertThat(model.hasStandbys()).isTrue();
        assertThat(model.commits().bypass()).isEqualTo(Bypass.CAPTURE);
        assertThat(model.reads().beforeWrite()).isEqualTo(ReadsBeforeWrite.MASTER);
    }

    @Test
    void shouldRefuseWhatNeedsCapturedRowsWithStandbys() {
        assertThat(problems("""
                        propagation: log
                        listen:
                          users: [{name: a, password: b, role: c}]
                        bypass: capture
                        commit: {order: serial}
                        reads-before-write: satellite
                        cache: {size: 1m}
                        optimization: C2
                        nodes:
                        - {name: m, role: master}
                        - {name: s, role: satellite, indexes: ["t (a)"]}
                        """))
                .containsExactly(
                        "1 propagation", "2 listen", "4 bypass", "5 commit", "6 reads-before-write", "7 cache");
        assertThat(problems("""
                        propagation: log
                        engine: mariadb
                        database: shop
                        nodes:
                        - {name: m, role: master}
                        """)).containsExactly("1 propagation");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "propagation: log      | copy: standby   |          ",
                "propagation: log      | copy: writesets | not read WriteSets from the engine's log",
                "propagation: triggers | copy: writesets |          ",
                "propagation: triggers | copy: standby   | standbys need propagation: log",
                "propagation: log      | copy: both      | both"
            })
    void shouldAcceptTheCopyThatThePropagationMakes(String propagation, String copy, String problem) throws Exception {
        String yaml = "%s%nnodes:%n- {name: m, role: master}%n- {name: s, role: satellite, %s}%n"
                .formatted(propagation, copy);
        if (problem == null) {
            assertThat(SystemModel.parse(yaml, "m.yaml").satellites()).hasSize(1);
        } else {
            assertThatThrownBy(() -> SystemModel.parse(yaml, "m.yaml"))
                    .isInstanceOf(ModelException.class)
                    .hasMessageContaining("m.yaml:4")
                    .hasMessageContaining(problem);
        }
    }

    @Test
    void shouldRefuseAMasterThatIsACopy() {
        assertThat(problems("""
                        nodes:
                        - {name: m, role: master, copy: writesets}
                        """)).containsExactly("2 nodes[0].copy");
    }

    /** The rules compare nodes with the master, which may be what is missing. */
    @ParameterizedTest
    @ValueSource(strings = {"nodes: []", "nodes:\n- {name: s, role: satellite}"})
    void shouldReportAModelWithStandbysAndNoMaster(String nodes) {
        assertThat(problems("propagation: log\n" + nodes))
                .hasSameSizeAs(problems(nodes))
                .isNotEmpty();
    }

    /** A standby that is added to a running system meets the same rules as the others. */
    @Test
    void shouldRefuseAnAddedStandbyWithOwnIndexes() throws Exception {
        SystemModel running = SystemModel.parse("propagation: log\nnodes:\n- {name: m, role: master}\n", "m.yaml");
        assertThatThrownBy(() -> running.withSatellite("{name: s, role: satellite, indexes: [\"t (a)\"]}", "s"))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("a standby has the tables, indexes and views of its master");
        assertThatThrownBy(() -> running.withSatellite(
                        "{name: s, role: satellite, source: external, url: u, user: a, password: p}", "s"))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("either all nodes are external, or Multimed starts all nodes; s differs");
    }

    /** A read has the rights, and the search path, of the node that answers. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ann |                   | ",
                "bob |                   | s has another user than the master",
                "ann | ?user=bob         | in the URL of s differ",
                "ann | ?currentSchema=x  | in the URL of s differ",
                "ann | ?ssl=true         | "
            })
    void shouldReadStandbysAsTheUserOfTheMaster(String user, String parameters, String refusal) throws Exception {
        String model = """
                propagation: log
                database: shop
                nodes:
                - {name: m, role: master, source: external, url: "jdbc:postgresql://m/shop", user: ann, password: p}
                - {name: s, role: satellite, source: external, url: "jdbc:postgresql://s/shop%s", user: %s, password: p}
                """.formatted(parameters == null ? "" : parameters, user);
        if (refusal == null) {
            assertThat(SystemModel.parse(model, "m.yaml").nodes()).hasSize(2);
        } else {
            assertThatThrownBy(() -> SystemModel.parse(model, "m.yaml"))
                    .isInstanceOf(ModelException.class)
                    .hasMessageContaining(refusal);
        }
    }

    @Test
    void shouldCommitConcurrentlyWithStandbysOnly() throws Exception {
        String order = "commit: {order: concurrent}\nnodes:\n- {name: m, role: master}\n";
        assertThat(SystemModel.parse("propagation: log\n" + order, "m")
                        .commits()
                        .order())
                .isEqualTo(CommitOrdering.CONCURRENT);
        assertThat(problems(order)).containsExactly("1 commit");
    }

    @Test
    void shouldReportEverythingAtOnceWithLineAndKey() {
        assertThat(problems("""
                        listen:
                          port: 99999
                          hots: x
                        nodes:
                        - name: a
                          role: master
                          cores: 0
                          storage: memory
                        - name: a
                          role: master
                          cores: 0-1
                          engine: oracle
                          pool: 0
                        """))
                .contains(
                        "2 listen.port",
                        "3 listen.hots",
                        "8 nodes[0].storage",
                        "12 nodes[1].engine",
                        "13 nodes[1].pool",
                        "4 nodes",
                        "9 nodes[1].name",
                        "11 nodes[1].cores");
    }

    @Test
    void shouldRefuseToListenOutsideWithoutPasswords() {
        assertThat(problems("listen: {host: 0.0.0.0, tls: off}\nnodes:\n- {name: m, role: master}\n"))
                .containsExactly("1 listen.host");
    }

    @Test
    void shouldRefuseToListenOutsideWithoutAWordOnTls() throws ModelException {
        String outside =
                "listen: {host: 0.0.0.0, users: [{name: u, password: p}]%s}\nnodes:\n- {name: m, role: master}\n";
        assertThat(problems(outside.formatted(""))).containsExactly("1 listen.host");
        assertThat(problems(outside.formatted(", tls: on"))).contains("1 listen.tls");
        assertThat(problems(outside.formatted(", tls: {key: k.pem}"))).containsExactly("1 listen.tls.certificate");
        assertThat(SystemModel.parse(outside.formatted(", tls: off"), "model")
                        .listen()
                        .tls())
                .isNull();
        assertThat(SystemModel.parse(outside.formatted(", tls: {certificate: c.pem, key: k.pem}"), "model")
                        .listen()
                        .tls())
                .extracting(Listen.Tls::required)
                .isEqualTo(true);
    }

    /** Clients send passwords, on loopback too, where another account may listen while the middleware does not run. */
    @Test
    void shouldRefuseToPassUsersThroughWithoutTls() throws ModelException {
        String model = "%s\nlisten: {pass-through: true%s}\ndatabase: shop\nnodes:\n- {name: m, role: master}\n";
        String tls = ", tls: {certificate: c.p12}";
        for (String engine : new String[] {"", "engine: mariadb", "engine: mysql"}) {
            assertThat(SystemModel.parse(model.formatted(engine, tls), "model")
                            .listen()
                            .passThrough())
                    .isTrue();
        }
        assertThat(problems(model.formatted("", ""))).containsExactly("2 listen.pass-through");
        assertThat(problems(model.formatted("", ", tls: off"))).containsExactly("2 listen.pass-through");
        SystemModel outside = SystemModel.parse(model.formatted("", ", host: 0.0.0.0" + tls), "model");
        assertThat(outside.listen().users())
                .as("the users are those of the master")
                .isEmpty();
    }

    /** Browsers send passwords, and the page changes the system. */
    @Test
    void shouldRefuseADashboardOutsideWithoutUsersAndTls() throws ModelException {
        String model = "%s\ndashboard: {host: 0.0.0.0, names: [db.example.org]}\nnodes:\n- {name: m, role: master}\n";
        String tls = "tls: {certificate: c.pem, key: k.pem}";
        String users = "users: [{name: u, password: p}]";
        assertThat(problems(model.formatted("listen: {}"))).containsExactly("2 dashboard.host", "2 dashboard.host");
        assertThat(problems(model.formatted("listen: {" + users + "}"))).containsExactly("2 dashboard.host");
        assertThat(problems(model.formatted("listen: {" + tls + "}"))).containsExactly("2 dashboard.host");
        assertThat(SystemModel.parse(model.formatted("listen: {" + users + ", " + tls + "}"), "model")
                        .observation()
                        .dashboard()
                        .orElseThrow()
                        .names())
                .containsExactly("db.example.org");
        assertThat(problems("listen: {port: 7413}\ndashboard: {}\nnodes:\n- {name: m, role: master}\n"))
                .containsExactly("2 dashboard.port");
        assertThat(problems("dashboard: {host: no such host}\nnodes:\n- {name: m, role: master}\n"))
                .containsExactly("1 dashboard.host");
    }

    @Test
    void shouldReadWhatIsRecordedOfStatements() throws ModelException {
        String nodes = "nodes:\n- {name: m, role: master}\n";
        SystemModel model = SystemModel.parse(nodes, "model");
        assertThat(model.observation().log().slowStatements()).isEqualTo(Duration.ofSeconds(1));
        assertThat(model.observation().log().writesSlowStatements()).isFalse();
        assertThat(model.observation().tracing()).isEmpty();
        SystemModel other = SystemModel.parse(
                "log: {slow-statements: 20ms, audit-file: /a}\ntracing: {endpoint: 'https://c/v1', sample: 0.5}\n"
                        + nodes,
                "model");
        assertThat(other.observation().log().slowStatements()).isEqualTo(Duration.ofMillis(20));
        assertThat(other.observation().log().writesSlowStatements()).isTrue();
        assertThat(other.observation().tracing().orElseThrow().sample()).isEqualTo(0.5);
        assertThat(other.withPort(1).observation().tracing())
                .isEqualTo(other.observation().tracing());
        for (String wrong : List.of("2", "-1", "1.5", "1e9", "NaN", "all")) {
            assertThat(problems("tracing: {sample: %s}\n".formatted(wrong) + nodes))
                    .as(wrong)
                    .containsExactly("1 tracing.sample");
        }
        for (String wrong :
                List.of("collector:4318", "ftp://c/", "http://", "http://user:password@c/", "http://a b/")) {
            assertThat(problems("tracing: {endpoint: '%s'}\n".formatted(wrong) + nodes))
                    .as(wrong)
                    .containsExactly("1 tracing.endpoint");
        }
        assertThat(problems("log: {slow-statements: fast, audit: x}\n" + nodes))
                .contains("1 log.slow-statements", "1 log.audit");
    }

    private static String partial(String tables) {
        return "optimization: C2\nnodes:\n- {name: m, role: master}\n- {name: s, role: satellite, tables: [%s]}\n"
                .formatted(tables);
    }

    @Test
    void shouldReadPatternsForTables() throws ModelException {
        assertThat(SystemModel.parse(partial("Item, sales.*, public.Order_*, 'log_?', '*.item', a.b.c"), "model")
                        .satellites()
                        .get(0)
                        .content()
                        .tables()
                        .names())
                .containsExactlyInAnyOrder("item", "sales.*", "public.order_*", "log_?", "*.item", "a.b.c");
    }

    @Test
    void shouldRefusePatternsThatAreNone() {
        for (String wrong : new String[] {
            "'*'",
            "'*.*'",
            "'**'",
            "'a.b.*'",
            "'.order_*'",
            "'order_*.'",
            "'[a-z]*'",
            "'order_%*'",
            "'!order_*'",
            "'a *'"
        }) {
            assertThat(problems(partial(wrong))).as(wrong).containsExactly("4 nodes[1].tables");
        }
    }

    @Test
    void shouldRefuseTablesOfAnotherDatabaseWhereSchemasAreDatabases() throws ModelException {
        String shop = "engine: mariadb\ndatabase: Shop\n";
        String right = shop + partial("'shop.*', item, 's*.item', '*.item', 'sho?.a'");
        assertThat(SystemModel.parse(right, "model").satellites()).hasSize(1);
        for (String wrong : new String[] {"sales.*", "sales.item", "'shop?.a'"}) {
            assertThat(problems(shop + partial(wrong))).as(wrong).containsExactly("6 nodes[1].tables");
        }
    }

    @Test
    void shouldReadTheIndexesOfASatellite() throws ModelException {
        assertThat(SystemModel.parse("""
                        optimization: C2
                        nodes:
                        - {name: m, role: master}
                        - name: s
                          role: satellite
                          indexes:
                          - order_line (ol_i_id, ol_o_id) INCLUDE (ol_qty)
                        """, "model").nodes().get(1).content().indexes())
                .containsExactly("order_line (ol_i_id, ol_o_id) INCLUDE (ol_qty)");
    }

    @Test
    void shouldRefuseIndexesThatCannotBe() {
        assertThat(problems("optimization: C2\nnodes:\n- {name: m, role: master, indexes: ['a (b)']}\n"))
                .containsExactly("3 nodes[0].indexes");
        assertThat(problems("nodes:\n- {name: m, role: master}\n- {name: s, role: satellite, indexes: ['a (b)']}\n"))
                .containsExactly("3 nodes[1].indexes");
        assertThat(
                        problems(
                                "optimization: C2\nnodes:\n- {name: m, role: master}\n- {name: s, role: satellite, indexes: [a]}\n"))
                .containsExactly("4 nodes[1].indexes");
        assertThat(
                        problems(
                                "optimization: C2\nnodes:\n- {name: m, role: master}\n- {name: s, role: satellite, indexes: ['a (b); DROP TABLE a']}\n"))
                .containsExactly("4 nodes[1].indexes");
    }

    @Test
    void shouldReadMaterializedViews() throws Exception {
        assertThat(SystemModel.parse("""
                        optimization: C2
                        nodes:
                        - {name: m, role: master}
                        - name: s
                          role: satellite
                          materialized-views:
                          - {view: sold, indexes: [qty DESC]}
                          - {view: shop.total}
                        """, "model").nodes().get(1).content().views())
                .containsExactly(
                        new MaterializedViewSpec("sold", List.of("qty DESC")),
                        new MaterializedViewSpec("shop.total", List.of()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "C2 | master    | {view: v}             | 4 nodes[0].materialized-views",
                "C1 | satellite | {view: v}             | 4 nodes[0].materialized-views",
                "C2 | satellite | {}                    | 4 nodes[0].materialized-views[0].view",
                "C2 | satellite | {view: a b}           | 4 nodes[0].materialized-views[0].view",
                "C2 | satellite | '{view: v}, {view: V}' | 4 nodes[0].materialized-views[1].view",
                "C2 | satellite | '{view: v, indexes: [\"a; b\"]}' | 4 nodes[0].materialized-views[0].indexes"
            })
    void shouldRefuseMaterializedViewsThatCannotBe(String level, String role, String views, String problem) {
        assertThat(problems(
                        "optimization: %s\nnodes:\n-\n  {name: s, role: %s, materialized-views: [%s]}\n- {name: m, role: master}\n"
                                .formatted(level, role, views)))
                .contains(problem);
    }

    @Test
    void shouldRefusePartialCopiesBelowC2() {
        assertThat(problems("nodes:\n- {name: m, role: master}\n- {name: s, role: satellite, tables: [item]}\n"))
                .containsExactly("3 nodes[1].tables");
    }

    @Test
    void shouldGiveAllNodesTheEngineOfTheSystem() throws Exception {
        SystemModel model = SystemModel.parse(
                "engine: mariadb\ndatabase: shop\nnodes:\n- {name: m, role: master, cores: 0}\n- {name: s, role: satellite, cores: 1}\n",
                "m.yaml");
        assertThat(model.nodes()).allMatch(node -> node.engine().equals("mariadb"));
        assertThat(model.withSatellite("{name: t, role: satellite, cores: 2}", "t")
                        .nodes())
                .allMatch(node -> node.engine().equals("mariadb"));
        assertThatThrownBy(() -> model.withSatellite("{name: t, role: satellite, cores: 2, engine: mysql}", "t"))
                .hasMessageContaining("t:1: engine: mysql is not the engine of m, mariadb");
    }

    @Test
    void shouldRefuseUnknownAndMixedEngines() {
        assertThat(problems("engine: oracle\nnodes:\n- {name: m, role: master}\n"))
                .contains("1 engine");
        assertThat(
                        problems(
                                "database: shop\nnodes:\n- {name: m, role: master, engine: mysql, cores: 0}\n- {name: s, role: satellite, cores: 1}\n"))
                .containsExactly("4 nodes[1].engine");
    }

    @Test
    void shouldRefuseValuesThatAnEngineDoesNotAllow() {
        String nodes = "nodes:\n- {name: m, role: master}\n";
        assertThat(problems("engine: mariadb\ndatabase: Multimed\n" + nodes)).containsExactly("2 database");
        assertThat(problems("listen: {port: 1}\nengine: mysql\n" + nodes)).containsExactly("1 database");
        assertThatCode(() -> SystemModel.parse("database: multimed\n" + nodes, "m.yaml"))
                .doesNotThrowAnyException();
        String external = "- {name: m, role: master, source: external, user: u, password: p, url: \"jdbc:%s\"}\n";
        assertThat(problems("nodes:\n" + external.formatted("mysql://h/shop"))).containsExactly("2 nodes[0].url");
        String family = "engine: mariadb\ndatabase: shop\nnodes:\n" + external;
        assertThat(problems(family.formatted("mariadb://h:3306/shop"))).containsExactly("4 nodes[0].url");
        assertThat(problems(family.formatted("mysql://h:3306/store?useSSL=true")))
                .containsExactly("4 nodes[0].url");
        assertThatCode(() -> SystemModel.parse(family.formatted("mysql://h:3306/shop?useSSL=true"), "m.yaml"))
                .doesNotThrowAnyException();
    }

    @Test
    void shouldRequireTheKeysOfAnExternalEngine() {
        assertThat(problems("nodes:\n- {name: m, role: master, source: external}\n"))
                .contains("2 nodes[0].url", "2 nodes[0].user", "2 nodes[0].password");
    }

    @Test
    void shouldNotCompareCoresOfExternalEnginesWithThoseOfThisMachine() {
        String model =
                "nodes:\n- {name: m, role: master, cores: 0-1}\n- {name: a, role: satellite, cores: 0-3, source: %s}\n- {name: b, role: satellite, cores: 2-3}\n";
        String external = "external, url: \"jdbc:postgresql://h/multimed\", user: u, password: p";
        assertThatCode(() -> SystemModel.parse(model.formatted(external), "m.yaml"))
                .doesNotThrowAnyException();
        assertThat(problems(model.formatted("embedded"))).containsExactly("3 nodes[1].cores", "4 nodes[2].cores");
    }

    @Test
    void shouldRequireThePasswordOfAnExternalEngine() throws Exception {
        String model =
                "nodes:\n- name: m\n  role: master\n  source: external\n  user: u\n  url: \"jdbc:postgresql://h/d%s\"\n%s";
        assertThatThrownBy(() -> SystemModel.parse(model.formatted("", ""), "m.yaml"))
                .hasMessageContaining("m.yaml:2: nodes[0].password: is missing: the engine of m");
        assertThat(problems(model.formatted("", "  password-file: /nowhere\n")))
                .containsExactly("7 nodes[0].password-file");
        assertThat(problems(model.formatted("", "  password-env: MULTIMED_NOWHERE\n")))
                .containsExactly("7 nodes[0].password-env");
        for (String right :
                new String[] {model.formatted("", "  password: \"\"\n"), model.formatted("?password=p", "")}) {
            assertThatCode(() -> SystemModel.parse(right, "m.yaml")).doesNotThrowAnyException();
        }
    }

    @Test
    void shouldReportOneProblemForInvalidYaml() {
        assertThat(problems("nodes:\n- {name: m\n  role: [")).hasSize(1);
        assertThat(problems("")).hasSize(1);
    }

    @Test
    void shouldReportTheReasonAndTheLineOfInvalidYaml() {
        String[][] wrong = {
            {"nodes:\n- {name: \"m, role: master}\n", "m.yaml:3: is not YAML: while scanning a quoted scalar (line 2)"},
            {"nodes:\n- {name: m}\n---\nnodes: []\n", "m.yaml:3: is not YAML: expected a single document"},
            {"nodes:\n\t- {name: m}\n", "m.yaml:2: is not YAML: while scanning for the next token, found character"},
            {"nodes:\n- {name: m\u0001}\n", "m.yaml:2: contains the character U+0001"},
            {"nodes: " + "[".repeat(1_000), "m.yaml:1: is not YAML: Nesting"},
        };
        for (String[] row : wrong) {
            assertThatThrownBy(() -> SystemModel.parse(row[0], "m.yaml"))
                    .isInstanceOf(ModelException.class)
                    .hasMessageStartingWith(row[1]);
        }
    }

    @Test
    void shouldNameTheFileThatCannotBeRead(@TempDir Path folder) throws Exception {
        Path latin = Files.write(folder.resolve("latin.yaml"), "database: \u00e4\n".getBytes(ISO_8859_1));
        assertThatThrownBy(() -> SystemModel.read(latin))
                .hasMessageContaining("latin.yaml:1: is not a text file in UTF-8");
        assertThatThrownBy(() -> SystemModel.read(folder)).hasMessageStartingWith(folder + ":1: is a folder");
        assertThatThrownBy(() -> SystemModel.read(folder.resolve("no.yaml")))
                .hasMessageContaining("no.yaml:1: does not exist");
    }

    @Test
    void shouldRefuseUsersWithAmbiguousPasswords() {
        String model = "listen: {users: [%s]}\nnodes:\n- {name: m, role: master}\n";
        for (String users : new String[] {
            "{name: a, password: x}, {name: a, password: y}",
            "{name: a, password: \"\"}",
            "{name: a, password: x, password-env: PATH}"
        }) {
            assertThat(problems(model.formatted(users))).as(users).hasSize(1);
        }
    }

    @Test
    void shouldReportKeysWithoutAValue() {
        assertThat(problems("database:\nnodes:\n- {name: m, role: master, data: }\n"))
                .containsExactly("1 database", "3 nodes[0].data");
        assertThat(problems("database: \"\"\nnodes:\n- {name: m, role: master}\n"))
                .containsExactly("1 database");
    }

    @Test
    void shouldReportThePortOfTheMiddlewareOnANode() {
        assertThat(problems("nodes:\n- {name: m, role: master, port: 7411}\n")).containsExactly("2 nodes[0].port");
    }

    @Test
    void shouldReportNodesOnceAndInTheOrderOfTheLines() {
        assertThat(problems("nodes:\n  m: {role: master}\n")).containsExactly("1 nodes");
        assertThat(problems("nodes: []\n")).containsExactly("1 nodes");
        assertThat(problems("optimisation: C1\nnodes:\n- {name: m, role: queen}\nlisten: {prot: 1}\n"))
                .containsExactly("1 optimisation", "2 nodes", "3 nodes[0].role", "4 listen.prot");
    }

    @Test
    void shouldNameAMissingMaster() {
        assertThatThrownBy(() -> SystemModel.parse("nodes:\n- {name: s, role: satellite}\n", "m.yaml"))
                .hasMessageContaining("m.yaml:1: nodes: there is no master; exactly one node has role: master");
    }

    @Test
    void shouldNeverShowAPassword() throws Exception {
        SystemModel model = SystemModel.parse(
                "listen: {users: [{name: u, password: geheim}]}\nnodes:\n- {name: m, role: master}\n", "m.yaml");
        assertThat(model.toString()).doesNotContain("geheim");
        assertThat(model.listen().users().get(0).password().reveal()).isEqualTo("geheim");
    }

    @Test
    void shouldReadTheExamples() throws Exception {
        Path examples = Path.of("..", "deploy", "models");
        try (Stream<Path> files = Files.list(examples)) {
            List<Path> models =
                    files.filter(file -> file.toString().endsWith(".yaml")).toList();
            assertThat(models).hasSizeGreaterThanOrEqualTo(4);
            for (Path model : models) {
                assertThat(SystemModel.read(model).satellites()).isNotEmpty();
            }
        }
    }

    @Test
    void shouldReadCoresAndSizes() {
        assertThat(CoreSet.parse("0-2,7").overlaps(CoreSet.parse("2"))).isTrue();
        assertThat(CoreSet.parse("0-2,7").onMachine(2)).hasToString("0,1");
        assertThat(CoreSet.parse("5").onMachine(2).isAll()).isTrue();
        assertThat(CoreSet.parse("2-5").among(CoreSet.parse("4-7"))).isEqualTo(CoreSet.parse("4,5"));
        assertThat(CoreSet.parse("2").among(CoreSet.parse("4-7")).isAll()).isTrue();
        assertThat(CoreSet.ALL.among(CoreSet.parse("4-7")).isAll()).isTrue();
        assertThat(ByteSize.parse("2g").toMegabytes()).isEqualTo(2_048);
        assertThatThrownBy(() -> CoreSet.parse("3-1")).hasMessageContaining("backwards");
        assertThatThrownBy(() -> ByteSize.parse("much")).hasMessageContaining("not a size");
    }

    @Test
    void shouldReadRoutingClasses() throws Exception {
        SystemModel model = SystemModel.parse("""
                classes:
                - {name: reports, tables: [Orders], pattern: "group by", slower-than: 200ms, concurrency: 2, queue: 0, wait: 1m}
                - {name: other}
                nodes:
                - {name: m, role: master}
                - {name: s, role: satellite, classes: [reports, other]}
                - {name: t, role: satellite, classes: [default]}
                """, "m.yaml");
        RoutingClassSpec reports = model.reads().classes().get(0);
        assertThat(reports.tables()).containsExactly("orders");
        assertThat(reports.pattern()
                        .orElseThrow()
                        .matcher("SELECT a FROM b GROUP BY a")
                        .find())
                .isTrue();
        assertThat(reports.slowerThan()).isEqualTo(Duration.ofMillis(200));
        assertThat(reports.concurrency()).isEqualTo(2);
        assertThat(reports.queue()).isZero();
        assertThat(reports.longestWait()).isEqualTo(Duration.ofMinutes(1));
        assertThat(model.reads().classes().get(1).longestWait()).isEqualTo(Duration.ofSeconds(10));
        assertThat(model.satellites().get(0).serves("default")).isFalse();
        assertThat(model.satellites().get(1).serves("default")).isTrue();
        assertThat(model.satellites().get(1).serves("reports")).isFalse();
    }

    @Test
    void shouldReportRoutingClassesThatCannotWork() {
        String nodes = "nodes:\n- {name: m, role: master}\n- {name: s, role: satellite%s}\n";
        assertThat(problems("classes:\n- {name: default}\n" + nodes.formatted("")))
                .containsExactly("2 classes[0].name");
        assertThat(problems("classes:\n- {name: a}\n- {name: a}\n" + nodes.formatted("")))
                .containsExactly("3 classes[1].name");
        assertThat(problems("classes:\n- {name: a, pattern: '('}\n" + nodes.formatted("")))
                .containsExactly("2 classes[0].pattern");
        assertThat(problems("classes:\n- {name: a, concurrency: 0}\n" + nodes.formatted("")))
                .containsExactly("2 classes[0].concurrency");
        assertThat(problems("classes:\n- {name: a}\n" + nodes.formatted(", classes: [b, a, default]")))
                .containsExactly("5 nodes[1].classes");
        assertThat(problems("classes:\n- {name: a}\n" + nodes.formatted(", classes: [a]")))
                .as("no satellite serves other reads")
                .containsExactly("1 classes");
        assertThat(problems("nodes:\n- {name: m, role: master, classes: [default]}\n"))
                .containsExactly("2 nodes[0].classes");
    }
}
