// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.resultcache;

import io.multimed.server.resultcache.Table.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Writes queries at random: joins of all kinds, conditions, subqueries, groups, combined queries. A few of them are
 * wrong; they must fail with the same error everywhere.
 */
final class RandomReads {
    private final Random random;
    private final List<Table> tables;
    private RandomText text;
    private int aliases;

    /**
     * A table in a FROM clause.
     *
     * @param name its alias, or the name of the table
     */
    private record Reference(Table table, String name) {}

    /** A column of a reference. */
    private record Place(Reference reference, Column column) {}

    RandomReads(Random random, List<Table> tables) {
        this.random = random;
        this.tables = tables;
        this.text = new RandomText(random);
    }

    /** Returns a query. */
    RandomRead next() {
        if (random.nextInt(5) == 0) {
            return any(RandomRead.EDGES);
        }
        text = new RandomText(random);
        aliases = 0;
        return switch (random.nextInt(12)) {
            case 0 -> combined();
            case 1 -> derived();
            case 2 -> common();
            case 3, 4 -> grouped();
            case 5 -> aggregated();
            default -> plain();
        };
    }

    private <T> T any(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private List<Reference> references(int most) {
        List<Reference> all = new ArrayList<>();
        int count = 1 + random.nextInt(most);
        for (int i = 0; i < count; i++) {
            Table table = any(tables);
            boolean named = all.stream().anyMatch(each -> each.name.equals(table.name()));
            all.add(new Reference(table, named || chance(60) ? "t" + aliases++ : table.name()));
        }
        return all;
    }

    private Place place(List<Reference> references) {
        Reference reference = any(references);
        return new Place(reference, any(reference.table.columns()));
    }

    private Place place(List<Reference> references, Values kind) {
        List<Place> suitable = references.stream()
                .flatMap(each -> each.table.columns().stream().map(column -> new Place(each, column)))
                .filter(each -> each.column.values() == kind)
                .toList();
        return suitable.isEmpty() ? place(references) : any(suitable);
    }

    /** Writes a column, with its qualifier unless it is the only one with this name. */
    private String written(Place place, List<Reference> references) {
        String name = place.column.name();
        long having = references.stream()
                .filter(each ->
                        each.table.columns().stream().anyMatch(one -> one.name().equals(name)))
                .count();
        return (having == 1 && chance(60)) || chance(1) ? name : place.reference.name + "." + name;
    }

    private void addFrom(List<Reference> references) {
        text.add(" FROM ");
        for (int i = 0; i < references.size(); i++) {
            Reference next = references.get(i);
            String as = next.table.name()
                    + (next.name.equals(next.table.name()) ? "" : (chance(50) ? " AS " : " ") + next.name);
            if (i == 0) {
                text.add(as);
            } else {
                addJoin(as, references.get(i - 1), next);
            }
        }
    }

    private void addJoin(String as, Reference before, Reference next) {
        int kind = random.nextInt(8);
        if (kind == 0) {
            text.add(" CROSS JOIN " + as);
            return;
        }
        if (kind == 1 && before.table.hasKey() && next.table.hasKey()) {
            text.add(" JOIN " + as + " USING (id)");
            return;
        }
        text.add(any(List.of(" JOIN ", " INNER JOIN ", " LEFT JOIN ", " LEFT OUTER JOIN ", " RIGHT JOIN ")))
                .add(as + " ON ");
        addEquality(List.of(before), List.of(next));
        if (chance(40)) {
            text.add(chance(80) ? " AND " : " OR ");
            addCondition(List.of(before, next), 0); // MySQL's answers to subqueries here depend on its plan
        }
    }

    /** Writes that two columns of the same kind are equal. */
    private void addEquality(List<Reference> left, List<Reference> right) {
        List<Reference> both = new ArrayList<>(left);
        both.addAll(right);
        Place one = place(left, Values.INTEGER);
        Place other = place(right, one.column.values());
        text.add(written(one, both) + " = " + written(other, both));
    }

    private void addWhere(List<Reference> references) {
        if (chance(92)) {
            text.add(" WHERE ");
            addConjunction(references);
        }
    }

    private void addConjunction(List<Reference> references) {
        int count = 1 + random.nextInt(3);
        if (references.size() > 1 && chance(50)) {
            addEquality(references.subList(0, 1), references.subList(1, references.size()));
            text.add(" AND ");
        }
        for (int i = 0; i < count; i++) {
            text.add(i == 0 ? "" : chance(88) ? " AND " : " OR ");
            addCondition(references, 2);
        }
    }

    /** @param depth how deep conditions may be nested in this one */
    private void addCondition(List<Reference> references, int depth) {
        Place place = place(references);
        String column = written(place, references);
        Values kind = place.column.values();
        switch (random.nextInt(depth > 0 ? 19 : 13)) {
            case 0, 1, 2, 3, 4, 5 -> text.add(column + " = ").addValue(kind);
            case 6 -> text.addValue(kind).add(" = " + column);
            case 7 ->
                text.add(column + any(List.of(" <> ", " < ", " > ", " <= ", " >= ")))
                        .addValue(kind);
            case 8 -> addList(column, kind);
            case 9 -> text.add(column + " BETWEEN ").addValue(kind).add(" AND ").addValue(kind);
            case 10 -> text.add(column + any(List.of(" IS NULL", " IS NOT NULL")));
            case 11 -> addExpression(references);
            case 12 -> addEquality(references, references);
            case 13 -> addNested("NOT (", " AND ", references, depth);
            case 14 -> addNested("(", " OR ", references, depth);
            case 15 -> addNested("(", " AND ", references, depth);
            default -> addSubquery(column, kind, references, depth);
        }
    }

    private void addNested(String begin, String between, List<Reference> references, int depth) {
        text.add(begin);
        addCondition(references, depth - 1);
        text.add(between);
        addCondition(references, depth - 1);
        text.add(")");
    }

    private void addList(String column, Values kind) {
        text.add(column + any(List.of(" IN (", " NOT IN (")));
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            text.add(i == 0 ? "" : ", ").addValue(kind);
        }
        text.add(")");
    }

    /** Writes a condition on something that is computed from a column. */
    private void addExpression(List<Reference> references) {
        String integer = written(place(references, Values.INTEGER), references);
        Place other = place(references, Values.TEXT);
        String value = written(other, references);
        switch (random.nextInt(9)) {
            case 0 -> text.add(integer + " + 0 = ").addValue(Values.INTEGER);
            case 1 -> text.add(integer + " = 1 + ").add(Values.INTEGER.literal(random));
            case 2 -> text.add("lower(" + value + ") = ").addValue(Values.TEXT);
            case 3 -> text.add("coalesce(" + integer + ", 1) = ").addValue(Values.INTEGER);
            case 4 ->
                text.add("(" + integer + ", " + value + ") = (")
                        .addValue(Values.INTEGER)
                        .add(", ")
                        .addValue(other.column.values())
                        .add(")");
            case 5 ->
                text.add("CASE WHEN " + integer + " = ")
                        .addValue(Values.INTEGER)
                        .add(" THEN 1 ELSE 0 END = 1");
            case 6 ->
                text.add("(" + integer + " = ")
                        .addValue(Values.INTEGER)
                        .add(any(List.of(") IS NOT TRUE", ") IS TRUE", ") IS NULL")));
            case 7 ->
                text.add(value + (other.column.isLikeable() ? " LIKE " : " = ")).addValue(Values.PATTERN);
            default -> text.add(integer + " = ").addValue(Values.NUMBER);
        }
    }

    private void addSubquery(String column, Values kind, List<Reference> outer, int depth) {
        List<Reference> inner = references(1);
        Reference reference = inner.get(0);
        List<Reference> all = new ArrayList<>(outer);
        all.addAll(inner);
        switch (random.nextInt(4)) {
            case 0 -> {
                text.add(any(List.of("EXISTS (SELECT 1", "NOT EXISTS (SELECT 1")));
                addFrom(inner);
                text.add(" WHERE ");
                addEquality(outer, inner);
                text.add(" AND ");
                addCondition(all, depth - 1);
            }
            case 1, 2 -> {
                Place place = place(inner, kind);
                text.add(column + any(List.of(" IN (SELECT ", " NOT IN (SELECT ", " = ANY (SELECT ", " > ALL (SELECT "))
                        + reference.name + "." + place.column.name());
                addFrom(inner);
                text.add(" WHERE ");
                addCondition(inner, depth - 1);
            }
            default -> {
                text.add(column + " = (SELECT " + any(List.of("max(", "min(")) + reference.name + "."
                        + place(inner, kind).column.name() + ")");
                addFrom(inner);
                text.add(" WHERE ");
                addCondition(inner, depth - 1);
            }
        }
        text.add(")");
    }

    private RandomRead plain() {
        List<Reference> references = references(3);
        boolean distinct = chance(8);
        text.add(distinct ? "SELECT DISTINCT " : "SELECT ");
        if (distinct) {
            text.add(plainColumns(references).stream()
                    .map(each -> written(each, references))
                    .collect(Collectors.joining(", ")));
        } else {
            addSelected(references);
        }
        addFrom(references);
        addWhere(references);
        boolean ordered = !distinct && chance(50) && references.stream().allMatch(each -> each.table.hasKey());
        if (ordered) {
            text.add(" ORDER BY " + written(place(references), references) + (chance(30) ? " DESC" : ""));
            references.forEach(each -> text.add(", " + each.name + ".id"));
            text.add(chance(40) ? " LIMIT " + (1 + random.nextInt(3)) : "").add(chance(10) ? " OFFSET 1" : "");
        }
        return text.read(ordered);
    }

    private void addSelected(List<Reference> references) {
        int kind = random.nextInt(10);
        if (kind == 0) {
            text.add("*");
        } else if (kind == 1) {
            text.add(any(references).name + ".*");
        } else {
            int count = 1 + random.nextInt(3);
            text.add(IntStream.range(0, count)
                    .mapToObj(i -> expression(references) + " AS e" + i)
                    .collect(Collectors.joining(", ")));
        }
    }

    private String expression(List<Reference> references) {
        Place place = place(references);
        String column = written(place, references);
        String integer = written(place(references, Values.INTEGER), references);
        return switch (random.nextInt(14)) {
            case 0 -> integer + " + 1";
            case 1 -> "CASE WHEN " + integer + " > 2 THEN 1 ELSE 0 END";
            case 2 -> "coalesce(" + integer + ", -1)";
            case 3 -> "(SELECT count(*) FROM sale q WHERE q.x = " + integer + ")";
            default -> column;
        };
    }

    private List<Place> plainColumns(List<Reference> references) {
        List<Place> suitable = references.stream()
                .flatMap(each -> each.table.columns().stream().map(column -> new Place(each, column)))
                .filter(each -> each.column.isPlain())
                .toList();
        return IntStream.range(0, 1 + random.nextInt(2))
                .mapToObj(i -> any(suitable))
                .distinct()
                .toList();
    }

    private RandomRead aggregated() {
        List<Reference> references = references(2);
        text.add("SELECT " + aggregate(references) + " AS e1, " + aggregate(references) + " AS e2");
        addFrom(references);
        addWhere(references);
        return text.read(true);
    }

    private String aggregate(List<Reference> references) {
        String integer = written(place(references, Values.INTEGER), references);
        return switch (random.nextInt(6)) {
            case 0 -> "count(" + written(place(references), references) + ")";
            case 1 -> "sum(" + integer + ")";
            case 2 -> "max(" + integer + ")";
            case 3 -> "min(" + integer + ")";
            case 4 -> "count(DISTINCT " + written(place(references), references) + ")";
            default -> "count(*)";
        };
    }

    private RandomRead grouped() {
        List<Reference> references = references(2);
        String columns = plainColumns(references).stream()
                .map(each -> each.reference.name + "." + each.column.name())
                .collect(Collectors.joining(", "));
        text.add("SELECT " + columns + ", " + aggregate(references) + " AS e1");
        addFrom(references);
        addWhere(references);
        text.add(" GROUP BY " + columns);
        if (chance(40)) {
            text.add(" HAVING " + aggregate(references) + " >= ").addValue(Values.INTEGER);
        }
        return text.read(false);
    }

    private void addIntegers(int columns) {
        List<Reference> references = references(2);
        text.add("SELECT "
                + IntStream.range(0, columns)
                        .mapToObj(i -> references.get(0).name + "."
                                + place(references.subList(0, 1), Values.INTEGER)
                                        .column
                                        .name()
                                + " AS e" + i)
                        .collect(Collectors.joining(", ")));
        addFrom(references);
        addWhere(references);
    }

    private RandomRead combined() {
        int columns = 1 + random.nextInt(2);
        addIntegers(columns);
        text.add(any(List.of(" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT ")));
        addIntegers(columns);
        return text.read(false);
    }

    private RandomRead derived() {
        text.add("SELECT w.e0, count(*) AS n FROM (");
        addIntegers(2);
        text.add(") w");
        if (chance(40)) {
            text.add(" JOIN book z ON z.id = w.e0");
        }
        text.add(" WHERE w.e1 = ").addValue(Values.INTEGER).add(" GROUP BY w.e0");
        return text.read(false);
    }

    private RandomRead common() {
        text.add("WITH w AS (");
        addIntegers(1);
        text.add(") SELECT z.a, w.e0 FROM w LEFT JOIN sale z ON z.x = w.e0 WHERE w.e0 >= ")
                .addValue(Values.INTEGER);
        return text.read(false);
    }
}
