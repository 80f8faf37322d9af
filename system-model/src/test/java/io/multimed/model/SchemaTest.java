// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.multimed.model.yaml.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

/** The schema for editors knows the keys that the reader knows, no more and no less, at every place. */
class SchemaTest {
    private static final Path SCHEMA = Path.of("..", "deploy", "models", "multimed.schema.json");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    properties                                                | 'unknown: 1'
                    properties/listen/properties                              | 'listen: {unknown: 1}'
                    properties/listen/properties/limits/properties            | 'listen: {limits: {unknown: 1}}'
                    properties/listen/properties/tls/properties               | 'listen: {tls: {unknown: 1}}'
                    properties/listen/properties/users/items/properties       | 'listen: {users: [{name: a, password: b, unknown: 1}]}'
                    properties/dashboard/properties                           | 'dashboard: {unknown: 1}'
                    properties/freshness/properties                           | 'freshness: {unknown: 1}'
                    properties/commit/properties                              | 'commit: {unknown: 1}'
                    properties/log/properties                                 | 'log: {unknown: 1}'
                    properties/tracing/properties                             | 'tracing: {unknown: 1}'
                    properties/queue/properties                               | 'queue: {unknown: 1}'
                    properties/monitoring/properties                          | 'monitoring: {unknown: 1}'
                    properties/cache/properties                               | 'cache: {unknown: 1}'
                    properties/classes/items/properties                       | 'classes: [{name: a, unknown: 1}]'
                    properties/nodes/items/properties                         | 'nodes: [{name: m, role: master, unknown: 1}]'
                    """)
    void shouldKnowTheSameKeysAsTheReader(String place, String yaml) throws IOException {
        assertThat(inSchema(place)).isEqualTo(inReader(yaml));
    }

    /** JSON is YAML. */
    private static Set<String> inSchema(String place) throws IOException {
        Map<String, Object> node = new Yaml().load(Files.readString(SCHEMA));
        for (String step : place.strip().split("/", -1)) {
            @SuppressWarnings("unchecked")
            Map<String, Object> next = (Map<String, Object>) node.get(step);
            node = next;
        }
        return new TreeSet<>(node.keySet());
    }

    /** An unknown key is answered with the known ones. */
    private static Set<String> inReader(String yaml) {
        String text = yaml.contains("nodes:") ? yaml : yaml + "\nnodes: [{name: m, role: master}]";
        ModelException failure = catchThrowableOfType(ModelException.class, () -> SystemModel.parse(text, "m"));
        String known = failure.problems().stream()
                .filter(problem -> problem.wrong().equals("is not a known key"))
                .map(Problem::right)
                .findFirst()
                .orElseThrow();
        return new TreeSet<>(
                Arrays.asList(known.substring("known here: ".length()).split(", ", -1)));
    }
}
