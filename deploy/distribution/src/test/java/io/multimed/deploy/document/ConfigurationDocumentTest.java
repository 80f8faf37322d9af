// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.multimed.jdbc.MultimedDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/**
 * Compares the tables of docs/configuration.md with the JSON schema of the System Model and with the properties of the
 * driver; with -Dmultimed.document.write=true writes the tables.
 */
class ConfigurationDocumentTest {
    private static final Path DOCUMENT = Document.root().resolve("docs/configuration.md");
    private static final Path SCHEMA = Document.root().resolve("deploy/models/multimed.schema.json");
    private static final String REGENERATE =
            "docs/configuration.md differs from its sources; write it again by: mvn test -pl deploy/distribution -am"
                    + " -Dtest=ConfigurationDocumentTest -Dsurefire.failIfNoSpecifiedTests=false -Dmultimed.document.write=true";

    @Test
    void shouldHaveTheKeysAndPropertiesThatThereAre() throws Exception {
        String written = Files.readString(DOCUMENT);
        String generated = replace(replace(written, "model", modelTables()), "driver", driverTable());
        if (Boolean.getBoolean("multimed.document.write")) {
            Files.writeString(DOCUMENT, generated);
        }
        assertThat(Files.readString(DOCUMENT)).as(REGENERATE).isEqualTo(generated);
    }

    /** Replaces the lines between two marks. */
    private static String replace(String text, String mark, String lines) {
        Pattern region = Pattern.compile("(?s)(<!-- generated: %s -->\n).*?(<!-- end -->)".formatted(mark));
        Matcher matcher = region.matcher(text);
        assertThat(matcher.find()).as("the mark of %s in %s", mark, DOCUMENT).isTrue();
        return matcher.replaceFirst(Matcher.quoteReplacement(matcher.group(1) + lines + matcher.group(2)));
    }

    private static String modelTables() throws IOException {
        JsonNode schema = new ObjectMapper().readTree(SCHEMA.toFile());
        List<String> sections = new ArrayList<>();
        sections.add(table("Top level", "", schema, schema));
        for (Map.Entry<String, JsonNode> key : schema.get("properties").properties()) {
            addSection(sections, "`" + key.getKey() + "`", key.getValue(), schema);
        }
        return String.join("\n", sections);
    }

    private static void addSection(List<String> sections, String title, JsonNode key, JsonNode schema) {
        boolean list = key.path("type").asText().equals("array");
        JsonNode object = list ? key.get("items") : key;
        if (!object.has("properties")) {
            return;
        }
        String about = key.get("description").asText() + (list ? " A list; each entry has these keys." : "");
        sections.add(table(title, about + "\n\n", object, schema));
        for (Map.Entry<String, JsonNode> inner : object.get("properties").properties()) {
            addSection(sections, title + ", `" + inner.getKey() + "`", inner.getValue(), schema);
        }
    }

    private static String table(String title, String about, JsonNode object, JsonNode schema) {
        StringBuilder table = new StringBuilder(
                "### %s\n%s| key | value | default | meaning |\n|---|---|---|---|\n".formatted(title, about));
        List<String> required = texts(object.path("required"));
        for (Map.Entry<String, JsonNode> key : object.get("properties").properties()) {
            JsonNode value = key.getValue();
            assertThat(value.has("description"))
                    .as("the schema's description of %s, %s", title, key.getKey())
                    .isTrue();
            String standard = value.has("default") ? "`" + value.get("default").asText() + "`" : "";
            table.append("| `%s` | %s | %s | %s |\n"
                    .formatted(
                            key.getKey(),
                            values(value, schema),
                            required.contains(key.getKey()) ? "required" : standard,
                            value.get("description").asText().replace("|", "\\|")));
        }
        return table.toString();
    }

    /** Returns what a value may be, in words. */
    private static String values(JsonNode value, JsonNode schema) {
        if (value.has("$ref")) {
            String name = value.get("$ref").asText().replaceFirst(".*/", "");
            return name.equals("size") ? "size" : values(schema.get("$defs").get(name), schema);
        }
        if (value.has("enum")) {
            return String.join(
                    ", ",
                    texts(value.get("enum")).stream()
                            .map(word -> "`" + word + "`")
                            .toList());
        }
        if (value.has("minimum") && value.has("maximum")) {
            return "%s to %s"
                    .formatted(
                            value.get("minimum").asText(), value.get("maximum").asText());
        }
        if (value.has("oneOf")) {
            return "`all` or a list";
        }
        return value.path("pattern").asText().contains("ms|s|m") ? "duration" : type(value);
    }

    private static String type(JsonNode value) {
        JsonNode type = value.get("type");
        String name = type.isArray() ? type.get(0).asText() : type.asText();
        return switch (name) {
            case "array" -> "list";
            case "boolean" -> "`true`, `false`";
            case "object" -> "section";
            case "integer", "number" -> "number";
            default -> "text";
        };
    }

    private static List<String> texts(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    private static String driverTable() throws SQLException {
        StringBuilder table = new StringBuilder("| property | default | meaning |\n|---|---|---|\n");
        for (DriverPropertyInfo property :
                new MultimedDriver().getPropertyInfo("jdbc:multimed://localhost/shop", new Properties())) {
            table.append("| `%s` | %s | %s |\n"
                    .formatted(
                            property.name,
                            property.value == null || property.value.isEmpty() ? "" : "`" + property.value + "`",
                            property.description));
        }
        return table.toString();
    }
}
