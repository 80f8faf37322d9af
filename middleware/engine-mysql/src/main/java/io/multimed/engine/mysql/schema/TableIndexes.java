// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import io.multimed.engine.mysql.sql.MySqlReadRules;
import io.multimed.engine.satellite.OwnIndex;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The secondary indexes of a table, as the engine's CREATE TABLE writes them, by their names in lower case.
 *
 * @param lines without the comma at the end
 */
public record TableIndexes(Map<String, String> lines) {
    private static final Pattern LINE =
            Pattern.compile("\\s*((?:(UNIQUE|FULLTEXT|SPATIAL|VECTOR) )?KEY (`(?:[^`]|``)+`)(.*?)),?");

    /** Returns the indexes of a form, without the index by which satellites find rows that have no key. */
    public static TableIndexes of(TableForm form) {
        return of(form.body());
    }

    public static TableIndexes of(String created) {
        Map<String, String> found = new LinkedHashMap<>();
        created.lines().map(LINE::matcher).filter(Matcher::matches).forEach(line -> {
            String name = MySqlReadRules.withoutQuotes(line.group(3)).toLowerCase(Locale.ROOT);
            if (!name.equals(TableReader.PRINT)) {
                found.put(name, line.group(1));
            }
        });
        return new TableIndexes(found);
    }

    /** Returns the indexes without those that only satellites have, and that no change on the master concerns. */
    public TableIndexes withoutOwn() {
        Map<String, String> others = new LinkedHashMap<>(lines);
        others.keySet().removeIf(name -> name.startsWith(OwnIndex.PREFIX));
        return new TableIndexes(others);
    }

    /** Returns whether two forms have the same columns and differ at most in secondary indexes. */
    public static boolean differAtMost(TableForm one, TableForm other) {
        return one.columns().equals(other.columns())
                && one.keyPositions().equals(other.keyPositions())
                && rest(one).equals(rest(other));
    }

    /** Returns the lines of a form's body that define no secondary index. */
    private static List<String> rest(TableForm form) {
        return form.body()
                .lines()
                .filter(Predicate.not(LINE.asMatchPredicate()))
                .map(line -> line.endsWith(",") ? line.substring(0, line.length() - 1) : line)
                .toList();
    }

    /** Returns whether an index of that name exists and is not unique. */
    boolean isOrdinary(String name) {
        String line = lines.get(name.toLowerCase(Locale.ROOT));
        return line != null && !line.startsWith("UNIQUE");
    }

    /**
     * Returns the clauses of ALTER TABLE that give the wanted indexes to a table with these indexes; empty if it has
     * them. An index that only changes its name is renamed, not built again.
     */
    public Optional<String> alteration(TableIndexes wanted) {
        List<String> clauses = new ArrayList<>();
        Set<String> gone = new HashSet<>(lines.keySet());
        gone.removeIf(name -> Objects.equals(lines.get(name), wanted.lines.get(name)));
        wanted.lines.forEach((name, line) -> {
            if (!line.equals(lines.get(name))) {
                Optional<String> other = lines.containsKey(name) ? Optional.empty() : renamed(line, gone, wanted);
                other.ifPresent(gone::remove);
                clauses.add(other.map(old -> "RENAME INDEX " + quoted(Objects.requireNonNull(lines.get(old))) + " TO "
                                + quoted(line))
                        .orElse("ADD " + line));
            }
        });
        gone.stream()
                .sorted()
                .forEach(name -> clauses.add("DROP INDEX " + quoted(Objects.requireNonNull(lines.get(name)))));
        return clauses.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", clauses));
    }

    /** Returns the name of a dropped index with the same definition. */
    private Optional<String> renamed(String line, Set<String> gone, TableIndexes wanted) {
        return gone.stream()
                .filter(name -> !wanted.lines.containsKey(name))
                .filter(name -> unnamed(Objects.requireNonNull(lines.get(name))).equals(unnamed(line)))
                .findFirst();
    }

    private static String quoted(String line) {
        Matcher parts = LINE.matcher(line);
        return parts.matches() ? parts.group(3) : "";
    }

    private static String unnamed(String line) {
        Matcher parts = LINE.matcher(line);
        return parts.matches() ? parts.group(2) + parts.group(4) : line;
    }
}
