// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.Multimed;
import io.multimed.deploy.launcher.ServerUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Unpacks the release archive into a new folder, and runs it there, without Maven and without the sources. */
@Timeout(600)
class ArchiveIT {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s#]+)[^)]*\\)");

    /** Uses the driver's single jar, and nothing else. */
    private static final String CLIENT = """
            import java.sql.Connection;
            import java.sql.DriverManager;
            import java.sql.ResultSet;
            import java.sql.Statement;
            class Client {
                public static void main(String[] arguments) throws Exception {
                    try (Connection connection = DriverManager.getConnection(arguments[0]);
                            Statement statement = connection.createStatement();
                            ResultSet titles = statement.executeQuery("SELECT title FROM book")) {
                        titles.next();
                        System.out.println(titles.getString(1) + " by " + connection.getMetaData().getDriverName());
                    }
                }
            }
            """;

    private static Installation fresh;

    @BeforeAll
    static void unpack() throws Exception {
        fresh = Installation.unpack();
    }

    @AfterAll
    static void remove() {
        fresh.close();
    }

    @Test
    void shouldStartInANewFolderServeClientsAndContinueAfterAnUpgrade() throws Exception {
        Path quickstart = fresh.file("deploy/models/quickstart.yaml");
        assertThat(fresh.multimed("check", "--model", quickstart.toString())).startsWith("0 ");
        Path model = Files.writeString(
                fresh.folder().resolve("model.yaml"),
                Files.readString(quickstart).replace("port: 7411", "port: 0").replace("512m", "128m"));
        try (RunningUp up = up(fresh, fresh.file("bin/multimed"), model)) {
            String url = up.url();
            sql(fresh, url, "CREATE TABLE book (id int PRIMARY KEY, title varchar(100))");
            sql(fresh, url, "INSERT INTO book VALUES (1, 'Middlemarch')");
            assertThat(client(fresh, url)).isEqualTo("0 Middlemarch by Multimed JDBC Driver\n");
            assertThat(fresh.multimed("verify", "--url", url)).startsWith("0 ");
            assertThat(up.stop()).isEqualTo(143);
        }
        Path next = fresh.unpackInto(fresh.folder().resolve("next"));
        try (RunningUp up = up(fresh, next.resolve("deploy/multimed"), model)) {
            assertThat(client(fresh, up.url())).startsWith("0 Middlemarch");
            assertThat(up.stop()).isEqualTo(143);
        }
        assertThat(
                        ServerUser.isRoot()
                                ? Path.of("/var/cache/multimed")
                                : fresh.folder().resolve(".cache/multimed"))
                .as("the engines' programs come from the archive")
                .isNotEmptyDirectory();
        assertThat(fresh.mavenWasCalled()).doesNotExist();
    }

    private static RunningUp up(Installation installation, Path program, Path model) throws IOException {
        String state = installation.folder().resolve("state").toString(); // root's default folder belongs to no test
        return RunningUp.start(
                installation, List.of(program.toString(), "up", "--model", model.toString(), "--state", state));
    }

    private static void sql(Installation installation, String url, String sql) throws Exception {
        assertThat(installation.multimed("sql", "--url", url, sql)).startsWith("0 ");
    }

    private static String client(Installation installation, String url) throws Exception {
        Path source = Files.writeString(installation.folder().resolve("Client.java"), CLIENT);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return installation.run(List.of(java, "-cp", driver(installation).toString(), source.toString(), url));
    }

    private static Path driver(Installation installation) throws IOException {
        return installation.file(
                "driver/" + Installation.release().replaceFirst("multimed", "multimed-jdbc") + "-all.jar");
    }

    @Test
    void shouldContainTheDriverAndItsProtocolInOneJar() throws Exception {
        try (ZipFile jar = new ZipFile(driver(fresh).toFile())) {
            Set<String> packages = jar.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.endsWith(".class"))
                    .map(name -> name.replaceFirst("^((?:\\w+/){3}).*", "$1"))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(packages).containsExactly("io/multimed/jdbc/", "io/multimed/protocol/");
            assertThat(jar.getEntry("META-INF/services/java.sql.Driver")).isNotNull();
            assertThat(jar.getEntry("META-INF/LICENSE")).isNotNull();
            assertThat(jar.stream())
                    .as("mvn install:install-file would use a POM with a parent and a dependency")
                    .noneMatch(entry -> entry.getName().startsWith("META-INF/maven/"));
        }
    }

    @Test
    void shouldContainAllThatItsDocumentsLinkTo() throws Exception {
        List<String> missing = new ArrayList<>();
        int links = 0;
        for (Path document : documents(fresh.file("."))) {
            for (String target : targets(document)) {
                links++;
                if (!Files.exists(document.resolveSibling(target))) {
                    missing.add(document + ": " + target);
                }
            }
        }
        assertThat(missing).as("files that the archive lacks").isEmpty();
        assertThat(links).isGreaterThan(40);
    }

    private static List<Path> documents(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".md")).toList();
        }
    }

    private static List<String> targets(Path document) throws IOException {
        return LINK.matcher(Files.readString(document))
                .results()
                .map(link -> link.group(1))
                .filter(target -> !target.matches("[a-z]+:.*"))
                .toList();
    }

    @Test
    void shouldContainLicencesModelsAndFilesForServiceManagers() throws Exception {
        for (String name : List.of(
                "LICENSE",
                "NOTICE",
                "docs/third-party-licences.md",
                "multimed.cdx.json",
                "deploy/models/multimed.schema.json",
                "deploy/monitoring/alerts.yaml",
                "deploy/systemd/multimed.service",
                "deploy/docker/compose.yaml",
                "deploy/kubernetes/multimed.yaml")) {
            assertThat(fresh.file(name)).isNotEmptyFile();
        }
        assertThat(fresh.file("bin/quickstart")).isExecutable();
        assertThat(fresh.multimed("--version"))
                .isEqualTo("0 %s\n".formatted(Installation.release().replaceFirst("-", " ")));
    }

    @Test
    void shouldContainTheCompletionOfItsOwnCommands() throws Exception {
        Path script = fresh.file("completion/multimed.bash");
        assertThat(complete(fresh, script, "multimed", ""))
                .containsAll(Multimed.commandLine().getSubcommands().keySet());
        assertThat(complete(fresh, script, "multimed", "satellite", "re")).contains("remove", "reseed", "resume");
        assertThat(complete(fresh, script, "multimed", "satellite", "drain", "--"))
                .contains("--wait", "--force");
    }

    /** Returns what bash offers for the last word. */
    private static List<String> complete(Installation installation, Path script, String... words) throws Exception {
        String call = ". '%s'; COMP_WORDS=(%s); COMP_CWORD=%d; _complete_multimed; printf '%%s\\n' \"${COMPREPLY[@]}\""
                .formatted(
                        script,
                        Stream.of(words).map(word -> "'" + word + "'").collect(Collectors.joining(" ")),
                        words.length - 1);
        String printed = installation.run(List.of("bash", "-c", call));
        assertThat(printed).startsWith("0 ");
        return printed.substring(2).lines().map(String::strip).toList();
    }

    @Test
    @Tag("exhaustive")
    void shouldRunExperimentsOnlyWithTheirArchive() throws Exception {
        try (Installation installation = Installation.unpack()) {
            assertThat(installation.multimed("bench", "read"))
                    .startsWith("2 ")
                    .contains("multimed-trials-", "unpack it");
            installation.addTrials();
            for (String command : Multimed.OF_TRIALS) {
                assertThat(installation.multimed(command, "--help")).startsWith("0 ");
            }
        }
    }

    @Test
    void shouldRunWhenCalledByALink() throws Exception {
        Path link = Files.createSymbolicLink(fresh.folder().resolve("linked"), fresh.file("bin/multimed"));
        assertThat(fresh.run(List.of(link.toString(), "--version"))).startsWith("0 multimed ");
    }
}
