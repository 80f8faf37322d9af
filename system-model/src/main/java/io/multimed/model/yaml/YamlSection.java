// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.yaml;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * One mapping of the YAML file. Returns values by key. A mistake is added to the list of problems, and the default
 * replaces the value, so that reading continues and finds the other mistakes, too. Remembers the requested keys; {@link
 * #finish} reports all others. Used by one thread.
 */
public final class YamlSection {
    private final String file;
    private final String path;
    private final int line;
    private final List<Problem> problems;
    private final Map<String, NodeTuple> entries = new LinkedHashMap<>();
    // The known keys of this section: every key that the reader has requested.
    private final Set<String> asked = new TreeSet<>();

    public YamlSection(String file, String path, Node node, List<Problem> problems) {
        this.file = file;
        this.path = path;
        this.line = lineOf(node);
        this.problems = problems;
        if (node instanceof MappingNode mapping) {
            mapping.getValue().forEach(this::enter);
        } else {
            problem(line, path, "is not a mapping", "write lines of the form key: value");
        }
    }

    private void enter(NodeTuple tuple) {
        String key = tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
        if (entries.put(key, tuple) != null) {
            problem(lineOf(tuple.getKeyNode()), at(key), "occurs twice", "keep one of the lines");
        }
    }

    public int line() {
        return line;
    }

    /** Returns whether the key is present. Makes the key a known one, as every method that reads a key does. */
    public boolean has(String key) {
        asked.add(key);
        return entries.containsKey(key);
    }

    private Node valueOf(String key) {
        return Objects.requireNonNull(entries.get(key)).getValueNode();
    }

    public int line(String key) {
        NodeTuple tuple = entries.get(key);
        return tuple == null ? line : lineOf(tuple.getKeyNode());
    }

    /**
     * Returns a plain value, converted by {@code form}. An IllegalArgumentException of {@code form} becomes a problem
     * with the exception's message.
     *
     * @param standard the value if the key is absent or the value is wrong
     */
    public <T> T value(String key, T standard, Function<String, T> form) {
        if (!has(key)) {
            return standard;
        }
        if (!(valueOf(key) instanceof ScalarNode scalar)) {
            problem(line(key), at(key), "is not a plain value", "");
            return standard;
        }
        if (scalar.isPlain() && scalar.getValue().isEmpty()) {
            problem(line(key), at(key), "has no value", "write a value, or leave the line out");
            return standard;
        }
        try {
            return form.apply(scalar.getValue());
        } catch (IllegalArgumentException e) {
            problem(line(key), at(key), String.valueOf(e.getMessage()), "");
            return standard;
        }
    }

    public String text(String key, String standard) {
        return value(key, standard, text -> text);
    }

    public Optional<String> text(String key) {
        return value(key, Optional.empty(), Optional::of);
    }

    /** Returns an integer from {@code least} to {@code most}. */
    public int number(String key, int standard, int least, int most) {
        return value(key, standard, text -> {
            if (!text.matches("-?[0-9]{1,9}") || Integer.parseInt(text) < least || Integer.parseInt(text) > most) {
                throw new IllegalArgumentException("\"%s\" is not a number from %d to %d".formatted(text, least, most));
            }
            return Integer.parseInt(text);
        });
    }

    public boolean truth(String key, boolean standard) {
        return value(key, standard, text -> {
            if (!text.equals("true") && !text.equals("false")) {
                throw new IllegalArgumentException("\"%s\" is neither true nor false".formatted(text));
            }
            return text.equals("true");
        });
    }

    /** Returns the constant that the value names in lower case, with hyphens in place of underscores. */
    public <E extends Enum<E>> E constant(String key, E standard) {
        return value(key, standard, text -> constant(standard.getDeclaringClass(), text));
    }

    public static <E extends Enum<E>> E constant(Class<E> type, String text) {
        return Stream.of(type.getEnumConstants())
                .filter(constant -> written(constant).equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("\"%s\" is none of %s"
                        .formatted(
                                text,
                                Stream.of(type.getEnumConstants())
                                        .map(YamlSection::written)
                                        .collect(Collectors.joining(", ")))));
    }

    private static String written(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the section below a key; empty if the key is absent. */
    public Optional<YamlSection> section(String key) {
        return has(key) ? Optional.of(new YamlSection(file, at(key), valueOf(key), problems)) : Optional.empty();
    }

    /** Returns the sections of a list; none if the key is absent. */
    public List<YamlSection> sections(String key) {
        List<YamlSection> sections = new ArrayList<>();
        List<Node> nodes = list(key);
        for (int i = 0; i < nodes.size(); i++) {
            sections.add(new YamlSection(file, "%s[%d]".formatted(at(key), i), nodes.get(i), problems));
        }
        return sections;
    }

    public List<String> texts(String key) {
        List<String> texts = new ArrayList<>();
        for (Node node : list(key)) {
            if (node instanceof ScalarNode scalar) {
                texts.add(scalar.getValue());
            } else {
                problem(lineOf(node), at(key), "holds something that is not a plain value", "");
            }
        }
        return texts;
    }

    public boolean isPlain(String key) {
        return has(key) && valueOf(key) instanceof ScalarNode;
    }

    public boolean isList(String key) {
        return has(key) && valueOf(key) instanceof SequenceNode;
    }

    private List<Node> list(String key) {
        if (!has(key)) {
            return List.of();
        }
        if (valueOf(key) instanceof SequenceNode sequence) {
            return sequence.getValue();
        }
        problem(line(key), at(key), "is not a list", "write lines that begin with a hyphen");
        return List.of();
    }

    /** Returns all entries as plain texts. Serves sections with keys of an engine, which Multimed does not know. */
    public Map<String, String> all() {
        Map<String, String> all = new LinkedHashMap<>();
        entries.keySet().forEach(key -> all.put(key, text(key, "")));
        return all;
    }

    /** Adds a problem at the line of a key. */
    public void problem(String key, String wrong, String right) {
        problem(line(key), at(key), wrong, right);
    }

    private void problem(int atLine, String key, String wrong, String right) {
        problems.add(new Problem(file, atLine, key, wrong, right));
    }

    /** Reports all keys that the reader has not requested. Called after all values have been read. */
    public void finish() {
        for (String key : entries.keySet()) {
            if (!asked.contains(key)) {
                problem(line(key), at(key), "is not a known key", "known here: " + String.join(", ", asked));
            }
        }
    }

    private String at(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    private static int lineOf(Node node) {
        return node.getStartMark().getLine() + 1;
    }
}
