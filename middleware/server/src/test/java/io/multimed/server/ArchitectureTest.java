// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.dialect.EngineValues;
import io.multimed.engine.dialect.ResultStreaming;
import io.multimed.engine.dialect.SessionSettings;
import io.multimed.engine.extraction.JoinedStatements;
import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.master.DdlCapture;
import io.multimed.protocol.request.Describe;
import io.multimed.protocol.request.ExecuteScript;
import io.multimed.protocol.statement.StatementText;
import io.multimed.server.testing.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Checks the layers and the dependencies between packages. */
@AnalyzeClasses(packages = "io.multimed", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule readsLikeThePaper = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("communication")
            .definedBy("io.multimed.server.communication..")
            .layer("dispatcher")
            .definedBy("io.multimed.server.dispatcher..")
            .layer("propagation")
            .definedBy("io.multimed.server.propagation..")
            .layer("node")
            .definedBy("io.multimed.server.node..")
            .layer("engine")
            .definedBy("io.multimed.engine..")
            .whereLayer("communication")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("dispatcher")
            .mayOnlyBeAccessedByLayers("communication")
            .whereLayer("propagation")
            .mayOnlyBeAccessedByLayers("dispatcher")
            .whereLayer("node")
            .mayOnlyBeAccessedByLayers("communication", "dispatcher", "propagation")
            .because(
                    "dependencies point one way: communication, dispatcher, propagation, node, engine; move the code, or pass an interface down");

    @ArchTest
    static final ArchRule noCycles = slices().matching("io.multimed.server.(*)..")
            .should()
            .beFreeOfCycles()
            .because("a cycle means that two packages are one: move the shared part down");

    /** The port and its transport know the library for sockets. */
    @ArchTest
    static final ArchRule sessionsKnowNoSockets = noClasses()
            .that()
            .resideInAPackage("io.multimed.server.communication")
            .and()
            .haveNameNotMatching(".*\\.MinaPort(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.mina..")
            .because("a session receives requests from any transport, see ClientTransport");

    @ArchTest
    static final ArchRule noCyclesInTheDispatcher = slices().matching("io.multimed.server.dispatcher.(*)..")
            .should()
            .beFreeOfCycles()
            .because("a request walks handler, router, executor, reply, each once");

    @ArchTest
    static final ArchRule noCyclesInThePropagation = slices().matching("io.multimed.server.propagation.(*)..")
            .should()
            .beFreeOfCycles()
            .because("satellites follow the commit order, which knows them as subscribers only");

    @ArchTest
    static final ArchRule noCyclesInTheProtocol = slices().matching("io.multimed.protocol.(*)..")
            .should()
            .beFreeOfCycles()
            .because("messages are made of values, and values of bytes");

    @ArchTest
    static final ArchRule messagesKnowNoFrames = noClasses()
            .that()
            .resideInAPackage("io.multimed.protocol.*..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.multimed.protocol")
            .because("the package at the top, with frames and logins, is made of messages");

    @ArchTest
    static final ArchRule minaStaysInCommunication = noClasses()
            .that()
            .resideOutsideOfPackage("..communication..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.mina..")
            .because("only the acceptor knows how bytes travel");

    @ArchTest
    static final ArchRule openTelemetryStaysInTracing = noClasses()
            .that()
            .resideOutsideOfPackage("io.multimed.server.tracing..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.opentelemetry..")
            .because("tracing is one way to report a statement: see StatementTracer");

    @ArchTest
    static final ArchRule noCyclesAmongEngines = slices().matching("io.multimed.engine.(**)")
            .should()
            .beFreeOfCycles()
            .because("a cycle means that two packages are one: move the shared part down");

    @ArchTest
    static final ArchRule enginesAreBehindTheirInterface = noClasses()
            .that()
            .resideOutsideOfPackages("io.multimed.engine.postgresql..", "io.multimed.engine.mysql..")
            .and()
            .resideInAnyPackage("io.multimed.server..", "io.multimed.engine..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.postgresql..", "com.mysql..", "io.multimed.engine.postgresql..", "io.multimed.engine.mysql..")
            .because("the server knows engines by io.multimed.engine.Engine only, and finds them with ServiceLoader");

    /** The names of engines and of their parts, in the spellings that code uses. */
    private static final Pattern ENGINES_NAMES =
            Pattern.compile("postgres|pgjdbc|pgsql|\\bpg_|mariadb|mysql|innodb|connector/j", Pattern.CASE_INSENSITIVE);

    private static final Pattern ENGINES_FOLDERS =
            Pattern.compile(".*/(engine-)?(postgresql|mysql|mariadb|mysqlfamily)/.*");

    /** The files outside of engines' folders that name engines, and the reasons. */
    private static final Map<String, String> FILES_THAT_NAME_ENGINES = Map.of(
            "deploy/launcher/src/main/resources/META-INF/services/io.multimed.deploy.launcher.EngineLauncher",
            "the list of engines that can be started",
            "deploy/evaluation/src/main/resources/META-INF/services/io.multimed.deploy.evaluation.figure.FigureSource",
            "the list of engines that have figures of their own",
            "jdbc-driver/driver/src/main/java/io/multimed/jdbc/connection/Engines.java",
            "the list of engines that applications see, by the names that their drivers and URLs have for them",
            "tpcw/src/main/resources/io/multimed/tpcw/schema/engines.properties",
            "the list of engines that TPC-W has a schema for",
            "system-model/src/main/java/io/multimed/model/KnownEngine.java",
            "the words of the System Model for engines",
            "deploy/command/src/main/java/io/multimed/deploy/command/EngineOption.java",
            "the engine that a command starts by default",
            "jdbc-driver/driver/src/main/java/io/multimed/jdbc/settings/DriverProperty.java",
            "properties of URLs that concern one engine say so",
            "jdbc-driver/driver/src/main/resources/io/multimed/jdbc/settings/foreign-properties.txt",
            "the properties that the engines' drivers know");

    /** Checks the files of all modules, also files that are not Java. */
    @ArchTest
    static void engineNamesAppearInEngineFoldersOnly(JavaClasses ignored) throws IOException {
        Set<String> naming = new TreeSet<>();
        int looked = 0;
        for (Map.Entry<String, Path> file : Sources.files().entrySet()) {
            String name = file.getKey();
            if (name.contains("/src/main/")) {
                looked++;
                boolean names = ENGINES_NAMES
                        .matcher(name + ' ' + Files.readString(file.getValue()))
                        .find();
                if (names && !ENGINES_FOLDERS.matcher(name).matches()) {
                    naming.add(name);
                }
            }
        }
        assertThat(looked).isGreaterThan(400);
        assertThat(naming)
                .as(
                        "files that name an engine: put the difference behind the interface (Engine, EngineLauncher, EngineFamily, Schema), into the engine's folder")
                .isEqualTo(FILES_THAT_NAME_ENGINES.keySet());
    }

    private static final Pattern COMMENT = Pattern.compile("^ *(\\*|/\\*{1,2}|//|--) ");

    /** The formatter leaves comments as they are. */
    @ArchTest
    static void commentsHaveAtMost120Columns(JavaClasses ignored) throws IOException {
        List<String> wide = new ArrayList<>();
        for (Map.Entry<String, Path> file : Sources.files().entrySet()) {
            if (file.getKey().matches(".*\\.(java|sql)")) {
                int number = 0;
                for (String line : Files.readAllLines(file.getValue())) {
                    number++;
                    if (line.length() > 120 && COMMENT.matcher(line).find()) {
                        wide.add(file.getKey() + ":" + number);
                    }
                }
            }
        }
        assertThat(wide)
                .as("lines of comments that are longer than 120 columns")
                .isEmpty();
    }

    /** The formatter writes the licence into all files but those of packages. */
    @ArchTest
    static void filesNameTheirLicence(JavaClasses ignored) throws IOException {
        List<String> without = new ArrayList<>();
        for (Map.Entry<String, Path> file : Sources.files().entrySet()) {
            if (file.getKey().endsWith(".java")
                    && !Files.readString(file.getValue()).startsWith("// SPDX-License-Identifier: Apache-2.0\n")) {
                without.add(file.getKey());
            }
        }
        assertThat(without)
                .as("files whose first line does not name the licence")
                .isEmpty();
    }

    private static final int MAX_PACKAGE = 25;

    @ArchTest
    static void packagesHaveALimitedSize(JavaClasses ignored) throws IOException {
        Map<String, Integer> sizes = new TreeMap<>();
        for (String name : Sources.files().keySet()) {
            int root = name.indexOf("/src/main/java/");
            if (root >= 0 && name.endsWith(".java") && !name.endsWith("/package-info.java")) {
                String within = name.substring(root + "/src/main/java/".length());
                sizes.merge(within.substring(0, within.lastIndexOf('/')), 1, Integer::sum);
            }
        }
        assertThat(sizes).hasSizeGreaterThan(40);
        sizes.values().removeIf(size -> size <= MAX_PACKAGE);
        assertThat(sizes)
                .as("packages with more than %d classes: cut them by subject", MAX_PACKAGE)
                .isEmpty();
    }

    private static final Pattern TESTS_NAMES = Pattern.compile("`([A-Z][A-Za-z]*(?:Test|[a-z]IT))`");

    /** Checks that each test class that a document names exists. */
    @ArchTest
    static void everyTestThatADocumentNamesExists(JavaClasses ignored) throws IOException {
        Set<String> there = new TreeSet<>();
        Set<String> named = new TreeSet<>();
        for (Map.Entry<String, Path> file : Sources.files().entrySet()) {
            String name = file.getKey();
            if (name.matches(".*/src/test/java/.*(Test|IT)\\.java")) {
                there.add(name.substring(name.lastIndexOf('/') + 1, name.lastIndexOf('.')));
            } else if (name.endsWith(".md")) {
                TESTS_NAMES
                        .matcher(Files.readString(file.getValue()))
                        .results()
                        .forEach(found -> named.add(found.group(1)));
            }
        }
        assertThat(named).hasSizeGreaterThan(20);
        assertThat(there).as("tests that documents name").containsAll(named);
    }

    private static final String HANDLER = "io.multimed.server.dispatcher.ClientConnectionHandler";
    private static final String STATEMENT = "io.multimed.server.dispatcher.statement.";

    @ArchTest
    static final ArchRule oneDoorForSqlOfRequests = noClasses()
            .that()
            .resideInAPackage("io.multimed.server..")
            .and()
            .doNotHaveFullyQualifiedName(HANDLER)
            .and()
            .doNotHaveFullyQualifiedName(STATEMENT + "StatementSlots")
            .should()
            .callMethod(Describe.class, "sql")
            .orShould()
            .callMethod(ExecuteScript.class, "statements")
            .orShould()
            .callMethod(StatementText.class, "sql")
            .because("SQL of clients is classified before anything else: take a ClassifiedText (architecture 4.10)");

    /** The classes of the server that pass a text of a client to an engine, and from where they have the text. */
    private static final Map<String, String> CLASSES_THAT_PASS_SQL = Map.of(
            STATEMENT + "StatementRunner",
            "a ClassifiedText",
            STATEMENT + "KeyedStatements",
            "the StatementRunner or Descriptions",
            STATEMENT + "OutParameters",
            "the StatementRunner, for a call",
            STATEMENT + "Descriptions",
            "a ClassifiedText",
            "io.multimed.server.dispatcher.StatementActions",
            "a ClassifiedText, which prepares another one",
            "io.multimed.server.dispatcher.execution.PlanExecutor",
            "the plan for a statement that every node runs",
            "io.multimed.server.dispatcher.group.OptimisticTransactions",
            "the ClassifiedText of a GroupedStatement",
            "io.multimed.server.dispatcher.read.ReadTogether",
            "the ClassifiedText of a ReadText",
            "io.multimed.server.propagation.commit.Master",
            "none: it asks the master whether it answers");

    /** The methods by which a text reaches an engine: those of java.sql, and those of engines' modules. */
    private static final Map<Class<?>, Set<String>> METHODS_THAT_PASS_SQL = Map.of(
            Connection.class,
            Set.of("createStatement", "nativeSQL", "prepareCall", "prepareStatement"),
            CatalogReader.class,
            Set.of("describe"),
            SessionSettings.class,
            Set.of("preparedText"),
            ResultStreaming.class,
            Set.of("joinReads"),
            JoinedStatements.class,
            Set.of("prepare"),
            PiggybackCommit.class,
            Set.of("text"),
            DdlCapture.class,
            Set.of("shareStatement"),
            EngineValues.class,
            Set.of("prepareForLarge"));

    @ArchTest
    static void sqlReachesEnginesThroughFewClasses(JavaClasses classes) {
        Set<String> passing = new TreeSet<>();
        Set<String> called = new TreeSet<>();
        for (JavaClass each : classes) {
            if (each.getPackageName().startsWith("io.multimed.server")) {
                each.getMethodCallsFromSelf().stream()
                        .filter(call -> METHODS_THAT_PASS_SQL.entrySet().stream()
                                .anyMatch(entry -> entry.getValue().contains(call.getName())
                                        && call.getTargetOwner().isAssignableTo(entry.getKey())))
                        .forEach(call -> {
                            passing.add(outer(each.getName()));
                            called.add(call.getName());
                        });
            }
        }
        assertThat(called)
                .as("methods that are called")
                .containsAll(METHODS_THAT_PASS_SQL.values().stream()
                        .flatMap(Set::stream)
                        .filter(name -> !name.equals("nativeSQL"))
                        .toList());
        assertThat(passing)
                .as("classes that pass SQL to an engine: let the StatementRunner run it, with its classification")
                .isEqualTo(CLASSES_THAT_PASS_SQL.keySet());
    }

    private static String outer(String name) {
        return name.replaceFirst("\\$.*", "");
    }

    @ArchTest
    static final ArchRule writeSetsAreValues = classes()
            .that()
            .resideInAPackage("..writeset..")
            .should()
            .beRecords()
            .orShould()
            .beInterfaces()
            .because("a WriteSet is shared by all appliers: it must not change");

    @ArchTest
    static final ArchRule writeSetsKnowNoJdbc = noClasses()
            .that()
            .resideInAPackage("..writeset..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("java.sql..")
            .because("values do not talk to engines");

    @ArchTest
    static final ArchRule theDriverHasNoOtherDependencies = classes()
            .that()
            .resideInAnyPackage("io.multimed.jdbc..", "io.multimed.protocol..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "javax.crypto..",
                    "javax.net.ssl..",
                    "javax.sql..",
                    "javax.xml..",
                    "org.w3c.dom..",
                    "org.xml.sax..",
                    "io.multimed.jdbc..",
                    "io.multimed.protocol..",
                    "org.jspecify..")
            .because("an application gets the driver and nothing else");
}
