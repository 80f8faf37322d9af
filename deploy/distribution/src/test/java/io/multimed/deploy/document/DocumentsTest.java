// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.Multimed;
import io.multimed.deploy.document.Document.Kind;
import io.multimed.deploy.document.Document.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/** Properties of all documents of the repository. */
class DocumentsTest {
    /** One for all lines: its options are read from the classes of the commands, which takes a tenth of a second. */
    private static final CommandLine COMMANDS = Multimed.commandLine();

    private static final int WIDTH = 120;
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern CODE_SPAN = Pattern.compile("`([^`]+)`");
    private static final Pattern CLASS_NAME =
            Pattern.compile("([A-Z][a-z]+[A-Za-z]*)(?:\\.([a-z][A-Za-z]*|[A-Z][A-Za-z]*))?");
    private static final Pattern PACKAGE = Pattern.compile("\\b(io\\.multimed(?:\\.[a-z]+\\b(?![-/]))+)(?!\\.[a-z])");
    private static final Pattern ARGUMENT = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    /** A dependency of the parent's POM whose version is a property. */
    private static final Pattern MANAGED = Pattern.compile(
            "<groupId>(.*)</groupId>\\s*<artifactId>(.*)</artifactId>\\s*<version>\\$\\{(.*)}</version>");

    private static final Pattern CITATION = Pattern.compile("\\barchitecture ([0-9](?:\\.[0-9])?)");

    private static final Pattern LISTED = Pattern.compile("^\\| `([^`]+)` \\| (\\S+) \\|");

    @Test
    void everyRelativeLinkResolves() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Document document : Document.all()) {
            for (Line line : document.lines()) {
                if (line.kind() != Kind.CODE) {
                    List<String> targets = targets(line.text());
                    links += targets.size();
                    targets.stream()
                            .filter(target -> !resolves(document, target))
                            .forEach(target -> broken.add(document.name() + ":" + line.number() + ": " + target));
                }
            }
        }
        assertThat(broken).as("links that lead nowhere").isEmpty();
        assertThat(links).isGreaterThan(40);
    }

    private static List<String> targets(String text) {
        return LINK.matcher(text)
                .results()
                .map(link -> link.group(1))
                .filter(target -> !target.matches("[a-z]+:.*"))
                .toList();
    }

    private static boolean resolves(Document from, String target) {
        String[] parts = target.split("#", 2);
        Path file = parts[0].isEmpty()
                ? Document.root().resolve(from.name())
                : Document.root().resolve(from.name()).resolveSibling(parts[0]).normalize();
        if (parts.length == 1 || !Files.exists(file)) {
            return Files.exists(file);
        }
        String name = Document.root().relativize(file).toString();
        return Document.of(name).anchors().contains(parts[1]);
    }

    @Test
    void proseLinesHaveAtMost120Columns() throws IOException {
        List<String> wide = new ArrayList<>();
        for (Document document : Document.all()) {
            document.lines().stream()
                    .filter(line -> line.kind() == Kind.PROSE && isTooWide(line.text()))
                    .forEach(line -> wide.add(document.name() + ":" + line.number()));
        }
        assertThat(wide)
                .as("lines of prose that are longer than %d columns", WIDTH)
                .isEmpty();
    }

    /** A line that consists of one long word, such as an address, cannot be broken. */
    private static boolean isTooWide(String text) {
        return text.codePointCount(0, text.length()) > WIDTH && text.strip().contains(" ");
    }

    /** The paths of requests are lists of classes: each of them must be in the code, with the member that is named. */
    @Test
    void everyClassThatTheArchitectureNamesIsThere() throws IOException {
        Map<String, Path> classes = Document.files().entrySet().stream()
                .filter(file -> file.getKey().endsWith(".java"))
                .collect(Collectors.toMap(
                        file -> file.getKey().replaceFirst(".*/", "").replaceFirst("\\.java$", ""),
                        Map.Entry::getValue,
                        (one, other) -> one));
        List<String> missing = new ArrayList<>();
        List<MatchResult> named = new ArrayList<>(classNames(Document.of("docs/architecture.md")));
        named.addAll(classNames(Document.of("docs/development.md")));
        for (MatchResult name : named) {
            Path file = classes.get(name.group(1));
            if (file == null || (name.group(2) != null && !declares(file, name.group(2)))) {
                missing.add(name.group());
            }
        }
        assertThat(missing)
                .as("names in docs/architecture.md and docs/development.md of classes or members that are not there")
                .isEmpty();
        assertThat(named).hasSizeGreaterThan(80);
    }

    @Test
    void everyPackageThatADocumentNamesIsThere() throws IOException {
        Set<String> packages = Document.files().keySet().stream()
                .filter(name -> name.endsWith(".java"))
                .map(name -> name.replaceFirst(".*/java/", "")
                        .replaceFirst("/[^/]*$", "")
                        .replace('/', '.'))
                .collect(Collectors.toSet());
        Set<String> missing = new TreeSet<>();
        for (Document document : Document.all()) {
            document.lines().stream()
                    .flatMap(line -> PACKAGE.matcher(line.text()).results())
                    .map(name -> name.group(1))
                    .filter(name -> packages.stream().noneMatch(one -> one.equals(name) || one.startsWith(name + ".")))
                    .forEach(name -> missing.add(document.name() + ": " + name));
        }
        assertThat(missing).as("packages that are not there").isEmpty();
    }

    private static boolean declares(Path file, String member) throws IOException {
        String text = Files.readString(file);
        return Pattern.compile("\\b" + member + "(\\(| =)|(record|class|interface|enum) " + member + "\\b")
                .matcher(text)
                .find();
    }

    private static List<MatchResult> classNames(Document document) {
        return document.lines().stream()
                .filter(line -> line.kind() != Kind.CODE)
                .flatMap(line -> spans(line.text()))
                .map(CLASS_NAME::matcher)
                .filter(name -> name.matches() && !name.group().matches("(Connection|Object)\\..*"))
                .map(name -> name.toMatchResult())
                .filter(name -> !Set.of("Execute", "ServiceLoader").contains(name.group()))
                .toList();
    }

    private static Stream<String> spans(String text) {
        return CODE_SPAN.matcher(text).results().map(span -> span.group(1));
    }

    /** Comments cite the architecture by section. */
    @Test
    void everySectionThatACommentCitesIsThere() throws IOException {
        Set<String> sections = Document.of("docs/architecture.md").lines().stream()
                .filter(line -> line.kind() == Kind.HEADING)
                .map(line -> line.text().replaceFirst("^#+ ([0-9.]*[0-9]).*", "$1"))
                .collect(Collectors.toSet());
        List<String> missing = new ArrayList<>();
        int citations = 0;
        for (Map.Entry<String, Path> file : Document.files().entrySet()) {
            if (file.getKey().matches(".*\\.(java|sql|yaml|xml|properties)")) {
                for (MatchResult citation : CITATION.matcher(Files.readString(file.getValue()))
                        .results()
                        .toList()) {
                    citations++;
                    if (!sections.contains(citation.group(1))) {
                        missing.add(file.getKey() + ": " + citation.group());
                    }
                }
            }
        }
        assertThat(missing)
                .as("citations of sections that docs/architecture.md does not have")
                .isEmpty();
        assertThat(citations).isGreaterThan(20);
    }

    /** Thread dumps are read with the table of threads: each name must be one that the middleware gives. */
    @Test
    void everyThreadThatTheArchitectureNamesIsThere() throws IOException {
        StringBuilder middleware = new StringBuilder();
        for (Map.Entry<String, Path> file : Document.files().entrySet()) {
            if (file.getKey().matches("middleware/server/src/main/.*\\.java")) {
                middleware.append(Files.readString(file.getValue()));
            }
        }
        List<String> names = Document.of("docs/architecture.md").lines().stream()
                .dropWhile(line -> !line.text().startsWith("## 7. Threads"))
                .takeWhile(line -> !line.text().startsWith("## 8."))
                .filter(line -> line.kind() == Kind.TABLE)
                .flatMap(line -> spans(line.text().split("\\|", -1)[1]))
                .filter(name -> !CLASS_NAME.matcher(name).matches())
                .toList();
        assertThat(names).hasSizeGreaterThan(10);
        assertThat(names.stream().filter(name -> middleware.indexOf(name + '"') < 0))
                .as("threads that the middleware does not name so")
                .isEmpty();
    }

    /** People search the table of failures for the message that they have: each must be one that the code gives. */
    @Test
    void everyMessageThatTheTableOfFailuresQuotesIsThere() throws IOException {
        StringBuilder sources = new StringBuilder();
        for (Map.Entry<String, Path> file : Document.files().entrySet()) {
            if (file.getKey().matches(".*/src/main/.*\\.(java|sql)")) {
                sources.append(Files.readString(file.getValue()));
            }
        }
        String code = sources.toString().replaceAll("\"\\s*\\+\\s*\"", "");
        List<String> quoted = Document.of("docs/operations.md").lines().stream()
                .dropWhile(line -> !line.text().startsWith("| symptom |"))
                .takeWhile(line -> line.kind() == Kind.TABLE)
                .flatMap(line -> spans(line.text().split("\\|", -1)[2]))
                .flatMap(message -> Stream.of(message.split("…|: ", -1)))
                .map(part -> part.replaceAll("^\\W+|\\W+$", ""))
                .filter(part -> part.contains(" "))
                .toList();
        assertThat(quoted).hasSizeGreaterThan(8);
        assertThat(quoted.stream().filter(part -> !code.contains(part)))
                .as("messages in docs/operations.md that the code does not give")
                .isEmpty();
    }

    /** The list of licences is generated on request only: it must be of the versions that the build uses. */
    @Test
    void theLicencesAreThoseOfTheVersionsInUse() throws IOException {
        String pom = Files.readString(Document.root().resolve("pom.xml"));
        List<String> other = new ArrayList<>();
        List<MatchResult> managed = MANAGED.matcher(pom).results().toList();
        for (Line line : Document.of("docs/third-party-licences.md").lines()) {
            MatchResult component =
                    LISTED.matcher(line.text()).results().findFirst().orElse(null);
            if (component != null) {
                managed.stream()
                        .filter(used -> component.group(1).equals(used.group(1) + ":" + used.group(2)))
                        .filter(used -> !pom.contains(
                                "<%s>%s</%s>".formatted(used.group(3), component.group(2), used.group(3))))
                        .forEach(used -> other.add(line.text()));
            }
        }
        assertThat(other)
                .as("components of another version; write the list again by: mvn license:aggregate-add-third-party")
                .isEmpty();
        assertThat(managed).hasSizeGreaterThan(10);
    }

    /** Every command line that a document shows names a command and options that there are. */
    @Test
    void everyCommandLineIsUnderstood() throws IOException {
        List<String> wrong = new ArrayList<>();
        int commands = 0;
        for (Document document : Document.all()) {
            for (Line line : document.lines()) {
                for (String command : commands(line)) {
                    commands++;
                    String fault = fault(command);
                    if (!fault.isEmpty()) {
                        wrong.add(document.name() + ":" + line.number() + ": " + command + ": " + fault);
                    }
                }
            }
        }
        assertThat(wrong).as("command lines that multimed does not understand").isEmpty();
        assertThat(commands).isGreaterThan(30);
    }

    private static List<String> commands(Line line) {
        Stream<String> texts = line.kind() == Kind.CODE ? Stream.of(line.text()) : spans(line.text());
        return texts.map(text -> text.strip().replaceFirst("\\s+#.*$", ""))
                .map(text -> text.replaceFirst("^deploy/quickstart", "deploy/multimed quickstart"))
                .filter(text -> text.startsWith("deploy/multimed "))
                .map(text -> text.substring("deploy/multimed ".length()))
                .toList();
    }

    /** Returns what is wrong with a command line; a name of a command without its arguments is none of that. */
    static String fault(String command) {
        String[] arguments = ARGUMENT.matcher(command)
                .results()
                .map(argument -> argument.group(1) == null ? argument.group(2) : argument.group(1))
                .toArray(String[]::new);
        try {
            COMMANDS.parseArgs(arguments);
            return "";
        } catch (MissingParameterException e) {
            return "";
        } catch (ParameterException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
