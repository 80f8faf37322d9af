// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.Multimed;
import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.MiddlewareProcess;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.SystemModel;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the examples of README.md as they stand there, except for the port and the length of a measurement. */
@Tag("slow")
@Timeout(300)
class ReadmeTest {
    private static final Document README = Document.of("README.md");
    private static final String URL = "jdbc:multimed://127.0.0.1:7411/multimed";
    private static final String ANY_PORT = "\nlisten: {port: 0}\n";

    /** What the lines of Java are put into. */
    private static final String CLASS = """
            import io.multimed.jdbc.MultimedConnection;
            import java.sql.Connection;
            import java.sql.DriverManager;
            import java.sql.ResultSet;
            import java.sql.Statement;
            public final class Example implements java.util.concurrent.Callable<Object> {
                @Override
                public Object call() throws Exception {
            %s
                    return null;
                }
            }
            """;

    @TempDir
    private Path folder;

    @Test
    void shouldRunTheFirstCommandWithoutErrors() throws Exception {
        List<String> commands = README.code("").get(1).lines().toList();
        assertThat(commands.get(0)).isEqualTo("deploy/quickstart");
        assertThat(Document.root().resolve(commands.get(0)))
                .isExecutable()
                .content()
                .contains("/multimed\" quickstart \"$@\"");
        StateFolder state = StateFolder.temporary("multimed-readme-");
        try {
            assertThat(Multimed.run(
                            line("quickstart --items 100 --ebs 1 --seconds 1 --warmup 0 --clients 4 --state", state)))
                    .isZero();
        } finally {
            StateFolder.remove(state.path());
        }
    }

    private static String[] line(String words, StateFolder state) {
        List<String> line = new ArrayList<>(Arrays.asList(words.split(" ", -1)));
        line.add(state.path().toString());
        return line.toArray(new String[0]);
    }

    @Test
    void shouldRunTheLinesOfJavaOnTheSystemOfTheSecondCommand() throws Exception {
        String[] command = README.code("").get(1).lines().toList().get(1).split(" ", -1);
        assertThat(command).startsWith("deploy/multimed", "up", "--model").hasSize(4);
        assertThat(Document.root().resolve(command[0])).isExecutable();
        String model = Files.readString(Document.root().resolve(command[3]));
        assertThat(model).contains("port: 7411");
        StateFolder state = StateFolder.temporary("multimed-readme-");
        Path file = Files.writeString(state.path().resolve("model.yaml"), model.replace("port: 7411", "port: 0"));
        try (MiddlewareProcess up = new MiddlewareProcess(file, state.path().resolve("up.log"), List.of())) {
            up.start();
            up.awaitSatellites();
            assertThat(README.code("java")).hasSize(1);
            String lines = README.code("java").get(0);
            assertThat(lines).contains('"' + URL + '"');
            assertThat(run(lines.replace(URL, url(up.printed())))).matches("Middlemarch from satellite-[12]\\R");
        } finally {
            state.discard();
        }
    }

    /** Returns the URL that the command prints, which is that of the document except for the port. */
    private static String url(String printed) {
        Matcher ready = Pattern.compile("ready: (\\S+)").matcher(printed);
        assertThat(ready.find()).as(printed).isTrue();
        assertThat(ready.group(1).replaceFirst(":\\d+/", ":7411/")).isEqualTo(URL);
        return ready.group(1);
    }

    @Test
    void shouldStartTheModel() throws Exception {
        assertThat(README.code("yaml")).hasSize(1);
        SystemModel model = SystemModel.parse(README.code("yaml").get(0) + ANY_PORT, "README.md");
        StateFolder state = StateFolder.temporary("multimed-readme-");
        try (Cluster cluster = Cluster.start(model, state, step -> {})) {
            awaitSatellites(cluster);
        } finally {
            state.discard();
        }
    }

    private static void awaitSatellites(Cluster cluster) {
        await("all nodes are online: see their states")
                .atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThat(cluster.middleware().status().nodes())
                        .hasSize(3)
                        .allMatch(node -> node.state().equals("ONLINE")));
    }

    /** Compiles and runs the lines; returns what they print. */
    private String run(String lines) throws Exception {
        Path source = Files.writeString(folder.resolve("Example.java"), CLASS.formatted(lines));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int exit = compiler.run(
                null, null, errors, "-cp", System.getProperty("java.class.path"), "-proc:none", source.toString());
        assertThat(exit).as(errors.toString(StandardCharsets.UTF_8)).isZero();
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        java.net.URL[] classes = {folder.toUri().toURL()};
        try (PrintStream capture = new PrintStream(printed, true, StandardCharsets.UTF_8);
                URLClassLoader loader = new URLClassLoader(classes, getClass().getClassLoader())) {
            System.setOut(capture);
            Object example =
                    loader.loadClass("Example").getDeclaredConstructor().newInstance();
            ((Callable<?>) example).call();
        } finally {
            System.setOut(out);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldNameTheDriverAsItIsBuilt() throws Exception {
        String dependency = README.code("xml").get(0);
        String pom = Files.readString(Document.root().resolve("jdbc-driver/driver/pom.xml"));
        for (String element : List.of("groupId", "artifactId", "version")) {
            assertThat(pom).contains(element(dependency, element));
        }
    }

    private static String element(String xml, String name) {
        String start = "<" + name + ">";
        String end = "</" + name + ">";
        return xml.substring(xml.indexOf(start), xml.indexOf(end) + end.length());
    }

    /** The status says which versions of the engines the tests use. */
    @Test
    void shouldNameTheVersionsOfTheEmbeddedEngines() throws Exception {
        String pom = Files.readString(Document.root().resolve("pom.xml"));
        String text = README.lines().stream().map(Document.Line::text).collect(Collectors.joining(" "));
        assertThat(text)
                .contains(
                        "PostgreSQL "
                                + property(pom, "postgresql-binaries.version").replaceFirst("\\.0$", ""),
                        "MariaDB " + property(pom, "mariadb-binaries.version"));
    }

    private static String property(String pom, String name) {
        return element(pom, name).replaceAll("<[^>]*>", "");
    }

    @Test
    void shouldNameTheCommandThatRunsAllTests() throws Exception {
        String script = Files.readString(Document.root().resolve(".ci/run"));
        String command = script.lines().reduce((one, other) -> other).orElseThrow();
        assertThat(command).startsWith("mvn ");
        assertThat(README.lines()).anyMatch(line -> line.text().contains("`" + command + "`"));
    }
}
