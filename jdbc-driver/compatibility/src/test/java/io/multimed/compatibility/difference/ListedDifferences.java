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
import java.util.stream.Collectors;

/** The table of DIFFERENCES.md: each row names comparisons, with * for any text, and says why they differ. Counts what occurs, so that none stays without cause. */
final class ListedDifferences {
    private static final Path FILE = Path.of("..", "DIFFERENCES.md");
    private static final Pattern ROW = Pattern.compile("\\| `(.+?)` \\| (.+) \\|");

    private record Entry(String text, Pattern pattern) {}

    private final List<Entry> entries = new ArrayList<>();
    private final Set<Entry> occurred = new LinkedHashSet<>();

    /** Those of one suite: their names begin with its name and a space. */
    static ListedDifferences of(String suite) throws IOException {
        ListedDifferences listed = new ListedDifferences();
        for (String line : Files.readAllLines(FILE)) {
            Matcher row = ROW.matcher(line);
            if (row.matches() && row.group(1).startsWith(suite + " ")) {
                listed.entries.add(new Entry(row.group(1), glob(row.group(1))));
            }
        }
        return listed;
    }

    private static Pattern glob(String text) {
        return Pattern.compile(
                Pattern.compile("\\*").splitAsStream(text).map(Pattern::quote).collect(Collectors.joining(".*"))
                        + (text.endsWith("*") ? ".*" : ""),
                Pattern.DOTALL);
    }

    boolean contains(String comparison) {
        List<Entry> matching = entries.stream()
                .filter(entry -> entry.pattern().matcher(comparison).matches())
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
