// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import io.multimed.model.value.Durations;
import io.multimed.model.yaml.YamlSection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Reads the section {@code classes}, and checks it together with the nodes. */
final class RoutingClassReader {
    private RoutingClassReader() {}

    static List<RoutingClassSpec> read(YamlSection top) {
        List<RoutingClassSpec> classes = new ArrayList<>();
        Set<String> names = new HashSet<>(Set.of(RoutingClassSpec.DEFAULT));
        for (YamlSection section : top.sections("classes")) {
            RoutingClassSpec each = one(section);
            if (!names.add(each.name())) {
                section.problem(
                        "name",
                        each.name().equals(RoutingClassSpec.DEFAULT)
                                ? "\"default\" is the class of all other reads"
                                : "\"%s\" is also the name of another class".formatted(each.name()),
                        "give each class a name of its own");
            }
            classes.add(each);
        }
        return classes;
    }

    private static RoutingClassSpec one(YamlSection section) {
        RoutingClassSpec read = new RoutingClassSpec(
                NodeReader.name(section),
                section.texts("tables").stream()
                        .map(table -> table.toLowerCase(Locale.ROOT))
                        .toList(),
                pattern(section),
                section.value("slower-than", Duration.ZERO, Durations::parse),
                section.number("concurrency", RoutingClassSpec.DEFAULT_CONCURRENCY, 1, 10_000),
                section.number("queue", RoutingClassSpec.DEFAULT_QUEUE, 0, 100_000),
                section.value("wait", RoutingClassSpec.DEFAULT_WAIT, Durations::parse));
        section.finish();
        return read;
    }

    private static Optional<Pattern> pattern(YamlSection section) {
        Optional<String> text = section.text("pattern");
        try {
            return text.map(each -> Pattern.compile(each, Pattern.CASE_INSENSITIVE | Pattern.DOTALL));
        } catch (PatternSyntaxException e) {
            section.problem(
                    "pattern",
                    "is not a regular expression: " + e.getDescription(),
                    "write a regular expression of Java, such as \"from order_line .* group by\"");
            return Optional.empty();
        }
    }

    /** Checks that satellites serve existing classes, and that each class has a satellite if there are satellites. */
    static void check(
            YamlSection top, List<YamlSection> sections, List<NodeSpec> nodes, List<RoutingClassSpec> classes) {
        Set<String> known = names(classes);
        for (int i = 0; i < nodes.size(); i++) {
            checkNode(sections.get(i), nodes.get(i), known);
        }
        List<NodeSpec> satellites =
                nodes.stream().filter(node -> node.role() == Role.SATELLITE).toList();
        for (String each : known) {
            if (!satellites.isEmpty() && satellites.stream().noneMatch(node -> node.serves(each))) {
                top.problem(
                        top.has("classes") ? "classes" : "nodes",
                        "no satellite serves the class \"%s\", so that the master would run its reads".formatted(each),
                        "add the class to the classes of a satellite");
            }
        }
    }

    /** Returns the names of all classes, with that of the class of all other reads. */
    static Set<String> names(List<RoutingClassSpec> classes) {
        Set<String> names = new HashSet<>(Set.of(RoutingClassSpec.DEFAULT));
        classes.forEach(each -> names.add(each.name()));
        return names;
    }

    static void checkNode(YamlSection section, NodeSpec node, Set<String> known) {
        for (String each : node.classes()) {
            if (!known.contains(each)) {
                section.problem(
                        "classes",
                        "\"%s\" is not a routing class".formatted(each),
                        "define the class in the section classes of the model, or name default");
            }
        }
        if (!node.classes().isEmpty() && node.role() == Role.MASTER) {
            section.problem("classes", "routing classes are served by satellites", "leave classes out");
        }
    }
}
