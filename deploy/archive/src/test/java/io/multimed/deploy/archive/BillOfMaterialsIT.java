// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.archive;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares what multimed.jar contains with the bill of materials (CycloneDX) and with the list of licences. */
@Tag("exhaustive")
class BillOfMaterialsIT {
    private static final Pattern LISTED = Pattern.compile("(?m)^\\| `([^`]+)` \\| (\\S+) \\| (.*) \\|$");

    /** Annotations that the compiler reads, which the jar does not contain: others depend on them. */
    private static final Set<String> ANNOTATIONS = Set.of("com.google.errorprone", "org.jspecify");

    /** Returns the components of others, as group:artifact:version. */
    private static Set<String> bill() throws IOException {
        Set<String> components = new TreeSet<>();
        for (JsonNode component : new ObjectMapper()
                .readTree(Path.of("../distribution/target/multimed.cdx.json").toFile())
                .get("components")) {
            String group = component.get("group").asText();
            if (!group.equals("io.multimed") && !ANNOTATIONS.contains(group)) {
                components.add(group + ":" + component.get("name").asText() + ":"
                        + component.get("version").asText());
            }
        }
        assertThat(components).hasSizeGreaterThan(15);
        return components;
    }

    @Test
    void shouldListEveryLibraryThatTheJarContains() throws IOException {
        Set<String> contained = new TreeSet<>();
        try (ZipFile jar = new ZipFile("../distribution/target/multimed.jar")) {
            assertThat(jar.stream().map(ZipEntry::getName))
                    .noneMatch(name -> name.startsWith("com/google/errorprone/") || name.startsWith("org/jspecify/"));
            for (ZipEntry entry : jar.stream()
                    .filter(each -> each.getName().matches("META-INF/maven/.*/pom.properties"))
                    .toList()) {
                Properties names = new Properties();
                names.load(jar.getInputStream(entry));
                if (!"io.multimed".equals(names.getProperty("groupId"))) {
                    contained.add("%s:%s:%s"
                            .formatted(
                                    names.getProperty("groupId"),
                                    names.getProperty("artifactId"),
                                    names.getProperty("version")));
                }
            }
        }
        assertThat(contained).hasSizeGreaterThan(10);
        assertThat(bill()).containsAll(contained);
    }

    @Test
    void shouldHaveALicenceForEveryComponent() throws IOException {
        String document = Files.readString(Path.of("../../docs/third-party-licences.md"));
        Set<String> listed = LISTED.matcher(document)
                .results()
                .filter(row -> !row.group(3).isBlank())
                .map(row -> row.group(1) + ":" + row.group(2))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(listed)
                .as("docs/third-party-licences.md; write it again by: mvn license:aggregate-add-third-party")
                .containsAll(bill());
    }
}
