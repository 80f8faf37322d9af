// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.fuzz;

import io.multimed.engine.Engines;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The grammar of an engine's texts: the file {@code fuzz.grammar} in the engine's folder of the test resources. A line
 * without indentation is the name of a rule; each indented line after it is one of its forms; {@code 3* } before a form
 * makes it three times as likely. In a form, <code>{name}</code> stands for any form of that rule, <code>{1..9}</code>
 * for a number, {@code \n}, {@code \r} and {@code \t} for these characters. The first form of a rule must not refer to
 * the rule itself: below the maximum depth, first forms are used. Lines that begin with two dashes are comments.
 */
final class Grammar {
    private static final Pattern LINE = Pattern.compile("(\\S.*)|\\s+(?:(\\d+)\\* )?(\\S.*|\"\")");
    private static final Pattern REFERENCE = Pattern.compile("\\{(?:(\\d+)\\.\\.(\\d+)|([a-z][a-z ]*))}");

    /** Maximum depth of nested rules. */
    private static final int DEEPEST = 9;

    /** Each form, repeated according to its weight. */
    private final Map<String, List<String>> rules = new LinkedHashMap<>();

    private Grammar(String text) {
        List<String> forms = List.of();
        for (String line : text.split("\n", -1)) {
            Matcher found = LINE.matcher(line);
            if (line.startsWith("--") || !found.matches()) {
                continue;
            }
            if (found.group(1) != null) {
                forms = new ArrayList<>();
                rules.put(found.group(1), forms);
            } else {
                int times = found.group(2) == null ? 1 : Integer.parseInt(found.group(2));
                forms.addAll(java.util.Collections.nCopies(times, form(found.group(3))));
            }
        }
    }

    private static String form(String written) {
        return written.equals("\"\"") ? "" : written;
    }

    static Grammar of(String engine) {
        try (InputStream in = Engines.of(engine).getClass().getResourceAsStream("fuzz.grammar")) {
            if (in == null) {
                throw new IllegalArgumentException(engine + " has no fuzz.grammar");
            }
            return new Grammar(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a random form of a rule. */
    String any(String rule, Random random) {
        List<String> forms = forms(rule);
        return characters(fill(forms.get(random.nextInt(forms.size())), random, 0));
    }

    /** Returns all forms of a rule, in order. */
    List<String> all(String rule, Random random) {
        return forms(rule).stream()
                .map(form -> characters(fill(form, random, 0)))
                .filter(text -> !text.isEmpty())
                .toList();
    }

    private List<String> forms(String rule) {
        List<String> forms = rules.get(rule);
        if (forms == null) {
            throw new IllegalArgumentException("there is no rule " + rule);
        }
        return forms;
    }

    private String fill(String form, Random random, int depth) {
        return REFERENCE.matcher(form).replaceAll(found -> {
            if (found.group(3) == null) {
                int least = Integer.parseInt(found.group(1));
                return String.valueOf(least + random.nextInt(Integer.parseInt(found.group(2)) - least + 1));
            }
            List<String> forms = forms(found.group(3));
            String next = forms.get(depth < DEEPEST ? random.nextInt(forms.size()) : 0);
            return Matcher.quoteReplacement(fill(next, random, depth + 1));
        });
    }

    private static String characters(String text) {
        return text.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t");
    }
}
