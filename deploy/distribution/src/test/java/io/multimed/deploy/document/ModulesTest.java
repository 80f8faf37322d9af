// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.document.Document.Kind;
import io.multimed.deploy.document.Document.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the table of modules in section 3 of docs/architecture.md with the POMs. */
class ModulesTest {
    private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");
    private static final Pattern DEPENDENCY = Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(.*?)</artifactId>");

    /** What a POM contains besides the dependencies of its module. */
    private static final Pattern OTHER = Pattern.compile(
            "<(parent|dependencyManagement|build|profiles)>.*?</\\1>|<exclusions>.*?</exclusions>", Pattern.DOTALL);

    @Test
    void theArchitectureListsEachModule() throws IOException {
        Set<String> modules = poms().keySet();
        assertThat(modules).hasSizeGreaterThan(10);
        assertThat(listed().keySet())
                .as("modules in section 3 of docs/architecture.md")
                .isEqualTo(modules);
    }

    @Test
    void theArchitectureListsTheDependenciesOfEachModule() throws IOException {
        Map<String, String> poms = poms();
        Map<String, String> names = poms.entrySet().stream()
                .collect(Collectors.toMap(pom -> artifact(pom.getValue()), pom -> name(pom.getKey())));
        Map<String, Set<String>> used = new TreeMap<>();
        poms.forEach((module, pom) -> used.put(module, dependencies(pom, names)));
        assertThat(listed())
                .as("the column \"depends on\" in section 3 of docs/architecture.md")
                .isEqualTo(used);
    }

    /** Returns the names of the modules on which a module depends, except for its tests. */
    private static Set<String> dependencies(String pom, Map<String, String> names) {
        return DEPENDENCY
                .matcher(pom)
                .results()
                .map(dependency -> dependency.group(1))
                .filter(dependency -> dependency.contains("<groupId>io.multimed</groupId>"))
                .filter(dependency -> !dependency.contains("<scope>test</scope>"))
                .map(dependency -> names.getOrDefault(artifact(dependency), "unknown module"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String artifact(String xml) {
        return ARTIFACT.matcher(xml)
                .results()
                .findFirst()
                .map(found -> found.group(1))
                .orElse("");
    }

    private static String name(String module) {
        return module.substring(module.lastIndexOf('/') + 1);
    }

    /** Returns the POMs of all modules that contain no modules, by their paths. */
    private static Map<String, String> poms() throws IOException {
        Map<String, String> poms = new TreeMap<>();
        add("", poms);
        return poms;
    }

    private static void add(String folder, Map<String, String> poms) throws IOException {
        String pom = Files.readString(Document.root().resolve(folder + "pom.xml"));
        List<MatchResult> modules = MODULE.matcher(pom).results().toList();
        if (modules.isEmpty()) {
            poms.put(
                    folder.substring(0, folder.length() - 1), OTHER.matcher(pom).replaceAll(""));
        }
        for (MatchResult module : modules) {
            add(folder + module.group(1) + "/", poms);
        }
    }

    /** Returns what the table says: the path of each module, and the names of those on which it depends. */
    private static Map<String, Set<String>> listed() {
        return Document.of("docs/architecture.md").lines().stream()
                .dropWhile(line -> !line.text().startsWith("| module | package |"))
                .takeWhile(line -> line.kind() == Kind.TABLE)
                .skip(2)
                .map(Line::text)
                .map(row -> row.split("\\|", -1))
                .collect(Collectors.toMap(
                        cells -> cells[1].replace('`', ' ').strip(),
                        cells -> Stream.of(cells[4].split(",", -1))
                                .map(String::strip)
                                .filter(name -> !name.isEmpty())
                                .collect(Collectors.toCollection(TreeSet::new)),
                        (one, other) -> one,
                        TreeMap::new));
    }
}
