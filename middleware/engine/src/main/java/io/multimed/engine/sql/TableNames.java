// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import io.multimed.engine.writeset.Change;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables that a query reads if its text contains certain names (architecture 4.1). A name stands for every table
 * and view that has this name in any schema and in any case, so that neither the search path nor quotes matter: a
 * query may be thought to read more tables than it does, and never fewer.
 *
 * @param tables by each name, alone and behind its schema: the ids of the tables, as in {@link Change}, of which rows
 *     may be read: also those behind views, partitions and child tables
 * @param opaque names that may stand for any table, such as those of users' functions
 * @param composed names that may stand for partitioned tables, parents, or views that are not among {@code views}:
 *     their rows are those of other tables, or depend on more
 * @param views names that may stand for views whose rows depend on nothing but the rows of tables
 * @param columns the columns of tables, by the ids of the tables, in the order of a captured row; tables with computed
 *     columns, whose values a captured row may lack, are missing
 * @param relations by each name that is not opaque: the tables and views that the name may stand for, and the tables
 *     behind them
 * @param timed names that may stand for views or tables whose rows are computed by expressions that may contain the
 *     time at which the transaction began
 */
public record TableNames(
        Map<String, Set<Long>> tables,
        Set<String> opaque,
        Set<String> composed,
        Set<String> views,
        Map<Long, List<Column>> columns,
        Map<String, Set<QualifiedName>> relations,
        Set<String> timed) {
    /** No name is known. */
    public static final TableNames NONE = none(Set.of());

    /** A name that stands for more tables is opaque, because every read of it would examine all of them. */
    static final int MAX_TABLES = 64;

    /** Stands among the names of a text for operators that contain this sign. */
    public static final String PERCENT = "%";

    /** Number of characters of the longest name that no engine shortens. */
    private static final int MAX_NAME_LENGTH = 63;

    /** The names of a schema with more tables and views are not kept. */
    private static final int MAX_RELATIONS = 20_000;

    private static TableNames none(Set<String> timed) {
        return new TableNames(Map.of(), Set.of(), Set.of(), Set.of(), Map.of(), Map.of(), timed);
    }

    /** The real name of a table or view, as the catalog contains it. */
    public record QualifiedName(String schema, String name) {}

    /**
     * Returns the tables and views that names in a statement may stand for, and the tables behind them; null if that is
     * not known of one of the names.
     *
     * @param named the tables that the statement names
     */
    public @Nullable Set<QualifiedName> relations(Set<String> named) {
        Set<QualifiedName> found = new HashSet<>();
        for (String name : named) {
            Set<QualifiedName> meant = opaque.contains(name) ? null : relations.get(name);
            if (meant == null) {
                return null;
            }
            found.addAll(meant);
        }
        return found;
    }

    /**
     * A column of a table.
     *
     * @param name in lower case
     */
    public record Column(String name, Exactness exactness) {}

    /** Says for which values the engine's equality is that of their texts in a captured row. */
    public enum Exactness {
        /** Integers are equal if their decimal digits are. */
        INTEGER,
        /** Strings are equal if their characters are. */
        TEXT,
        /** Unknown, or different texts may be equal. */
        NONE
    }

    /**
     * Returns the names in the text of a query, in the form of {@link #tables}, and {@link #PERCENT} if the text
     * contains that sign; null if some of them cannot be compared with names in the catalog, because they contain
     * escapes, or letters whose case is that of a locale, or are so long that an engine may shorten them.
     */
    public static @Nullable Set<String> in(List<Token> tokens) {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            boolean quoted = token.kind() == Token.Kind.QUOTED_NAME;
            if (quoted && i > 0 && tokens.get(i - 1).isSign("&")) {
                return null; // U&"..."
            }
            if (quoted || token.kind() == Token.Kind.WORD) {
                String name = normal(token.text());
                if (!isAscii(name) || name.length() > MAX_NAME_LENGTH) {
                    return null;
                }
                names.add(name);
            } else if (token.isSign(PERCENT)) {
                names.add(PERCENT);
            }
        }
        return Set.copyOf(names);
    }

    private static boolean isAscii(String name) {
        return name.chars().allMatch(c -> c < 0x80);
    }

    /** Returns a name without quotes, also those inside of it, and in lower case. */
    static String normal(String name) {
        return name.replace("\"", "").replace("`", "").toLowerCase(Locale.ROOT);
    }

    /** Collects tables and views with what they read. Used by one thread. */
    public static final class Builder {
        private final Map<Long, Boolean> isTable = new HashMap<>();
        private final Map<Long, QualifiedName> homes = new HashMap<>();
        private final Map<String, Set<Long>> byName = new HashMap<>();
        private final Map<Long, List<Long>> sources = new HashMap<>();
        private final Set<String> opaqueNames = new HashSet<>();
        private final Map<Long, List<Column>> columns = new HashMap<>();
        private final Set<String> timed = new HashSet<>();
        private final Set<Long> computedFromRows = new HashSet<>();

        /** Adds a table with its id. */
        public Builder table(long id, String schema, String name) {
            return relation(id, schema, name, true);
        }

        /** Adds a view under a number that no table has. */
        public Builder view(long id, String schema, String name) {
            return relation(id, schema, name, false);
        }

        private Builder relation(long id, String schema, String name, boolean table) {
            isTable.put(id, table);
            homes.put(id, new QualifiedName(schema, name));
            for (String each : List.of(name, schema + "." + name)) {
                byName.computeIfAbsent(normal(each), unused -> new HashSet<>()).add(id);
            }
            return this;
        }

        /**
         * Adds the columns of a table, as in {@link TableNames#columns}; none if engines may compare one of their names
         * in another way.
         */
        public Builder columns(long table, List<Column> inOrder) {
            if (!inOrder.stream().allMatch(each -> isAscii(each.name()))) {
                return this;
            }
            columns.put(
                    table,
                    inOrder.stream()
                            .map(each -> new Column(normal(each.name()), each.exactness()))
                            .toList());
            return this;
        }

        /** Adds that the rows of a view depend on nothing but the rows of what the view reads. */
        public Builder computedFromRows(long view) {
            computedFromRows.add(view);
            return this;
        }

        /** Adds a view or table whose rows may depend on the time at which the transaction began. */
        public Builder timed(String schema, String name) {
            timed.add(normal(name));
            timed.add(normal(schema + "." + name));
            return this;
        }

        /** Adds a name that may stand for any table. */
        public Builder opaque(String name) {
            opaqueNames.add(normal(name));
            return this;
        }

        /**
         * Adds that a query on one table or view also reads another one. If the other one is never added, names of the
         * reader are opaque.
         */
        public Builder reads(long reader, long source) {
            sources.computeIfAbsent(reader, unused -> new ArrayList<>()).add(source);
            return this;
        }

        /** Adds that a view reads everything that has one of these names. */
        public Builder readsNamed(long view, Collection<String> names) {
            for (String name : names) {
                byName.getOrDefault(name, Set.of()).forEach(source -> reads(view, source));
            }
            return this;
        }

        /** Returns the names. They are few enough to be kept for long. */
        public TableNames build() {
            if (isTable.size() > MAX_RELATIONS) {
                return withoutTables();
            }
            Map<String, Set<Long>> tables = new HashMap<>();
            Map<String, Set<QualifiedName>> meant = new HashMap<>();
            Set<String> opaque = new HashSet<>(opaqueNames);
            byName.forEach((name, relations) -> {
                Set<Long> read = reached(relations);
                if (read == null) {
                    opaque.add(name);
                } else {
                    tables.put(name, read);
                    meant.put(name, homes(relations, read));
                }
            });
            Set<String> composed = new HashSet<>();
            Set<String> views = new HashSet<>();
            byName.forEach((name, relations) -> {
                if (!relations.stream().allMatch(id -> isPlain(id) || isViewOfTables(id))) {
                    composed.add(name);
                } else if (relations.stream().anyMatch(this::isViewOfTables)) {
                    views.add(name);
                }
            });
            return new TableNames(
                    Map.copyOf(tables),
                    Set.copyOf(opaque),
                    Set.copyOf(composed),
                    Set.copyOf(views),
                    Map.copyOf(columns),
                    Map.copyOf(meant),
                    Set.copyOf(timed));
        }

        /** Returns names of which it is not known which tables they stand for. */
        public TableNames withoutTables() {
            return none(Set.copyOf(timed));
        }

        private Set<QualifiedName> homes(Set<Long> named, Set<Long> read) {
            return Stream.concat(named.stream(), read.stream())
                    .map(homes::get)
                    .filter(Objects::nonNull)
                    .collect(Collectors.toUnmodifiableSet());
        }

        private boolean isPlain(long id) {
            return Boolean.TRUE.equals(isTable.get(id)) && !sources.containsKey(id);
        }

        /** Returns whether a relation is such a view. Its own name may be among those that its definition contains. */
        private boolean isViewOfTables(long id) {
            return computedFromRows.contains(id)
                    && sources.getOrDefault(id, List.of()).stream().allMatch(source -> source == id || isPlain(source));
        }

        /** Returns the tables that are read; null if they are unknown or too many. */
        private @Nullable Set<Long> reached(Set<Long> relations) {
            Set<Long> seen = new HashSet<>(relations);
            ArrayDeque<Long> next = new ArrayDeque<>(relations);
            Set<Long> read = new HashSet<>();
            while (!next.isEmpty()) {
                Long id = next.remove();
                Boolean table = isTable.get(id);
                if (table == null || seen.size() > MAX_TABLES) {
                    return null;
                }
                if (table) {
                    read.add(id);
                }
                for (Long source : sources.getOrDefault(id, List.of())) {
                    if (seen.add(source)) {
                        next.add(source);
                    }
                }
            }
            return Set.copyOf(read);
        }
    }
}
