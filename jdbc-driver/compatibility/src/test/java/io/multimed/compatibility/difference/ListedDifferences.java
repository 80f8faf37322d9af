// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the table of DIFFERENCES.md. Each row names comparisons, the outcomes on both sides, and the reason. In
 * outcomes, * matches any text; &lt;same&gt; and &lt;also&gt; match texts that both sides contain. A heading above the
 * rows names their engines; each row must occur with each of these engines. Counts occurrences, to find rows that no
 * longer occur.
 */
final class ListedDifferences {
    private static final Path FILE = Path.of("..", "DIFFERENCES.md");
    private static final Pattern ROW = Pattern.compile("\\| `(.+?)` \\| `(.+?)` \\| `(.+?)` \\| (.+) \\|");
    private static final Pattern WILDCARD = Pattern.compile("\\*|<same>|<also>");

    /** One row. The outcomes are matched together, the engine's first, with a zero character between. */
    private record Entry(String text, Pattern calls, Pattern outcomes) {
        boolean covers(String call, String engines, String ours) {
            return calls.matcher(call).matches()
                    && outcomes.matcher(engines + "\0" + ours).matches();
        }
    }

    private final List<Entry> entries = new ArrayList<>();
    private final Set<Entry> occurred = new LinkedHashSet<>();

    /**
     * Returns the listed differences of one engine, by its name in the headings, and of one suite. Their names begin
     * with the name of the suite and a space.
     */
    static ListedDifferences of(String engine, String suite) throws IOException {
        ListedDifferences listed = new ListedDifferences();
        boolean engines = false;
        for (String line : Files.readAllLines(FILE)) {
            engines = line.startsWith("## ") ? names(line, engine) : engines;
            Matcher row = ROW.matcher(line);
            if (engines && row.matches() && row.group(1).startsWith(suite + " ")) {
                listed.entries.add(new Entry(line, pattern(row.group(1)), pattern(row.group(2) + "\0" + row.group(3))));
            }
        }
        return listed;
    }

    private static boolean names(String heading, String engine) {
        return List.of(heading.substring(3).split(", | and ", -1)).contains(engine);
    }

    private static Pattern pattern(String text) {
        StringBuilder pattern = new StringBuilder();
        Set<String> named = new LinkedHashSet<>();
        int from = 0;
        for (Matcher wildcard = WILDCARD.matcher(text); wildcard.find(); from = wildcard.end()) {
            pattern.append(Pattern.quote(text.substring(from, wildcard.start())));
            if (wildcard.group().equals("*")) {
                pattern.append(".*");
            } else {
                String name = wildcard.group();
                pattern.append(named.add(name) ? "(?" + name + ".*)" : "\\k" + name);
            }
        }
        return Pattern.compile(
                pattern.append(Pattern.quote(text.substring(from))).toString(), Pattern.DOTALL);
    }

    boolean contains(String call, String engines, String ours) {
        List<Entry> matching = entries.stream()
                .filter(entry -> entry.covers(call, engines, ours))
                .toList();
        occurred.addAll(matching);
        return !matching.isEmpty();
    }

    int size() {
        return entries.size();
    }

    List<String> thatDidNotOccur() {
        return entries.stream()
                .filter(entry -> !occurred.contains(entry))
                .map(Entry::text)
                .toList();
    }
}
