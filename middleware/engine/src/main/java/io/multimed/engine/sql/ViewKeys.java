// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.conditional.AndExpression;
import net.sf.jsqlparser.expression.operators.relational.EqualsTo;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.select.FromItem;
import net.sf.jsqlparser.statement.select.Join;
import net.sf.jsqlparser.statement.select.OrderByElement;
import net.sf.jsqlparser.statement.select.ParenthesedFromItem;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SelectItem;
import net.sf.jsqlparser.util.TablesNamesFinder;
import org.jspecify.annotations.Nullable;

/**
 * Finds by which columns the rows of a view depend on the rows of its tables. If a row of a table has the value v in
 * the column of a {@link Key}, then only rows of the view that have v in the output column depend on this row: if the
 * row changes, the engine needs to compute only these again. Such columns exist if the view joins tables by equal
 * columns (inner joins only), or groups by them.
 */
public final class ViewKeys {
    /** Words of queries whose rows may depend on others than those with the same key. */
    private static final Pattern OTHERS = Pattern.compile(
            "\\b(OVER|ROLLUP|CUBE|GROUPING|ON\\s*\\(\\s*SELECT|LIMIT|OFFSET|FETCH|UNION|INTERSECT|EXCEPT|MINUS|LATERAL|TABLESAMPLE|WITH|FOR)\\b",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern DISTINCT_ON = Pattern.compile("\\bDISTINCT\\s+ON\\b", Pattern.CASE_INSENSITIVE);

    private static final Pattern ORDER = Pattern.compile("\\bORDER\\s+BY\\b", Pattern.CASE_INSENSITIVE);

    private static final Pattern SELECT = Pattern.compile("\\bSELECT\\b", Pattern.CASE_INSENSITIVE);

    /** A call, or another word before a parenthesis. */
    private static final Pattern CALL = Pattern.compile("[\\w\"`]\\s*\\(");

    private static final Pattern BLANKS = Pattern.compile("\\s+");

    /** Stands for a condition while a text is composed. */
    private static final String PLACE = "multimed_condition";

    private final Map<String, Table> tables = new LinkedHashMap<>();
    private final Map<String, String> representatives = new HashMap<>();

    /**
     * A column of a table whose values occur in the view's output.
     *
     * @param schema of the table, as the catalog contains it; empty if the definition does not say
     * @param table name of the table, as the catalog contains it
     * @param column name of the column, as the catalog contains it
     * @param output name of the view's column, as the catalog contains it
     */
    public record Key(String schema, String table, String column, String output) {}

    private ViewKeys() {}

    /**
     * Returns a key for each table of a view, with as few output columns as possible; nothing if the view has tables
     * without a key, or if the definition is not understood.
     *
     * @param definition a query whose columns have names, as the engine's catalog returns the definition
     */
    public static List<Key> of(String definition) {
        String text = definition.strip().replaceAll(";$", "");
        boolean mayHaveKeys = !OTHERS.matcher(text).find()
                && !DISTINCT_ON.matcher(text).find()
                && SELECT.matcher(text).results().count() == 1;
        return mayHaveKeys && QueryParser.parse(text, List.of()) instanceof PlainSelect select
                ? new ViewKeys().find(select).orElse(List.of())
                : List.of();
    }

    /**
     * Returns all columns that the definition compares with the output columns of its keys, in any number of steps. The
     * keys are exact only if all of these columns have one type: '5.0' equals 5, which equals '5'.
     */
    public static List<Key> compared(String definition) {
        List<Key> keys = of(definition);
        if (keys.isEmpty() || !(QueryParser.parse(definition, List.of()) instanceof PlainSelect select)) {
            return List.of();
        }
        ViewKeys found = new ViewKeys();
        found.find(select);
        Map<String, String> outputs = found.outputs(select);
        return keys.stream()
                .map(Key::output)
                .distinct()
                .flatMap(output -> found.keys(output, outputs.getOrDefault(output, "")).stream())
                .toList();
    }

    /**
     * Returns the quoted output columns by which the definition orders its rows, each with its direction; empty if it
     * may order them by anything else.
     *
     * @param quote writes a name as an identifier
     */
    public static Optional<List<String>> order(String definition, UnaryOperator<String> quote) {
        if (!ORDER.matcher(definition).find()) {
            return Optional.of(List.of());
        }
        if (!(QueryParser.parse(definition, List.of()) instanceof PlainSelect select)) {
            return Optional.empty();
        }
        List<String> order = new ArrayList<>();
        for (OrderByElement each :
                select.getOrderByElements() == null ? List.<OrderByElement>of() : select.getOrderByElements()) {
            String text = inner(each.getExpression());
            Optional<String> output = select.getSelectItems().stream()
                    .filter(item -> inner(item.getExpression()).equals(text))
                    .map(ViewKeys::output)
                    .findFirst();
            if (output.isEmpty()) {
                return Optional.empty();
            }
            order.add(quote.apply(output.get())
                    + each.toString().substring(each.getExpression().toString().length()));
        }
        return Optional.of(order);
    }

    private static String inner(Expression expression) {
        return expression instanceof ParenthesedExpressionList<?> list && list.size() == 1
                ? inner(list.get(0))
                : expression.toString();
    }

    /** Returns the name of an item; empty if it has none. */
    private static String output(SelectItem<?> item) {
        if (item.getAlias() != null) {
            return name(item.getAlias().getName());
        }
        return item.getExpression() instanceof Column column ? name(column.getColumnName()) : "";
    }

    /** Returns the names of all tables and views in a query, as in the text; empty if the query is not understood. */
    public static Optional<Set<String>> tables(String definition) {
        return QueryParser.parse(definition, List.of()) instanceof Select select
                ? Optional.of(Set.copyOf(new TablesNamesFinder<Void>().getTables((Statement) select)))
                : Optional.empty();
    }

    /**
     * Returns the definition with a further condition on its rows, before they are grouped; empty if this class cannot
     * reproduce the text of the definition.
     *
     * @param definition one for which {@link #of} returns keys
     * @param condition in which {output} stands for the expression of the output column with this name
     */
    public static Optional<String> restrict(String definition, String condition) {
        if (!(QueryParser.parse(definition, List.of()) instanceof PlainSelect select)
                || !plain(select.toString()).equals(plain(definition))) {
            return Optional.empty();
        }
        Expression where = select.getWhere();
        Column place = new Column(PLACE);
        select.setWhere(where == null ? place : new AndExpression(new ParenthesedExpressionList<>(where), place));
        String restricted = condition;
        for (SelectItem<?> item : select.getSelectItems()) {
            if (item.getAlias() != null) {
                restricted = restricted.replace(
                        '{' + name(item.getAlias().getName()) + '}',
                        item.getExpression().toString());
            }
        }
        return Optional.of(select.toString().replace(PLACE, '(' + restricted + ')'));
    }

    /** Returns a text without blanks, for comparison. */
    private static String plain(String text) {
        return BLANKS.matcher(text).replaceAll("").toLowerCase(Locale.ROOT);
    }

    private Optional<List<Key>> find(PlainSelect select) {
        if (!read(select.getFromItem(), select.getJoins())) {
            return Optional.empty();
        }
        join(select.getWhere());
        Map<String, String> outputs = outputs(select);
        List<Key> keys = new ArrayList<>();
        Set<String> missing = new HashSet<>(tables.keySet());
        while (!missing.isEmpty()) {
            Optional<List<Key>> best = outputs.entrySet().stream()
                    .map(output -> keys(output.getKey(), output.getValue(), missing))
                    .max(Comparator.comparing(List::size));
            if (best.isEmpty() || best.get().isEmpty()) {
                return Optional.empty();
            }
            best.get().forEach(key -> missing.removeIf(alias -> isOf(alias, key)));
            keys.addAll(best.get());
        }
        return Optional.of(keys);
    }

    private boolean isOf(String alias, Key key) {
        Table table = tables.get(alias);
        return table != null
                && name(table.getName()).equals(key.table)
                && schema(table).equals(key.schema);
    }

    /** Returns the keys that one output column is for the tables. */
    private List<Key> keys(String output, String column, Set<String> aliases) {
        Map<String, Key> found = new LinkedHashMap<>();
        keys(output, column).stream()
                .filter(key -> aliases.stream().anyMatch(alias -> isOf(alias, key)))
                .forEach(key -> found.putIfAbsent(key.schema + '\n' + key.table, key));
        return List.copyOf(found.values());
    }

    /** Returns all columns that equal an output column. */
    private List<Key> keys(String output, String column) {
        String representative = representative(column);
        Set<String> columns = new TreeSet<>(representatives.keySet());
        columns.add(column);
        List<Key> found = new ArrayList<>();
        for (String each : columns) {
            String alias = each.substring(0, each.indexOf('\n'));
            Table table = tables.get(alias);
            if (table != null && representative(each).equals(representative)) {
                found.add(new Key(schema(table), name(table.getName()), each.substring(alias.length() + 1), output));
            }
        }
        return found;
    }

    /** Returns the columns of the output that are columns of tables: the column by the name of the output. */
    private Map<String, String> outputs(PlainSelect select) {
        Set<String> grouped = null;
        if (select.getGroupBy() != null) {
            grouped = new HashSet<>();
            for (Object each : select.getGroupBy().getGroupByExpressionList()) {
                if (each instanceof Column column) {
                    grouped.add(column(column));
                }
            }
        } else if (select.getHaving() != null
                || select.getSelectItems().stream()
                        .anyMatch(item ->
                                CALL.matcher(item.getExpression().toString()).find())) {
            return Map.of(); // an aggregate over all rows, perhaps
        }
        Map<String, String> outputs = new LinkedHashMap<>();
        for (SelectItem<?> item : select.getSelectItems()) {
            if (item.getExpression() instanceof Column column) {
                String id = column(column);
                if (!id.isEmpty() && (grouped == null || grouped.contains(id))) {
                    outputs.put(
                            name(
                                    item.getAlias() == null
                                            ? column.getColumnName()
                                            : item.getAlias().getName()),
                            id);
                }
            }
        }
        return outputs;
    }

    /** Reads the tables of FROM. Returns false if there is anything but tables and inner joins. */
    private boolean read(@Nullable FromItem item, @Nullable List<Join> joins) {
        if (item instanceof ParenthesedFromItem inner) {
            if (inner.getAlias() != null || !read(inner.getFromItem(), inner.getJoins())) {
                return false;
            }
        } else if (!(item instanceof Table table) || !add(table)) {
            return false;
        }
        for (Join join : joins == null ? List.<Join>of() : joins) {
            if (!isInner(join) || !read(join.getFromItem(), null)) {
                return false;
            }
            Collection<Expression> conditions = join.getOnExpressions();
            conditions.forEach(this::join);
        }
        return true;
    }

    private static boolean isInner(Join join) {
        return !join.isOuter()
                && !join.isLeft()
                && !join.isRight()
                && !join.isFull()
                && !join.isNatural()
                && !join.isSemi()
                && !join.isApply()
                && !join.isWindowJoin()
                && join.getUsingColumns().isEmpty();
    }

    /**
     * Adds a table, which no other one in the query is: the rows of a table that occurs twice have two roles. Its
     * columns must have their own names.
     */
    private boolean add(Table table) {
        if (table.getAlias() != null && table.getAlias().getAliasColumns() != null) {
            return false;
        }
        boolean twice =
                tables.values().stream().anyMatch(other -> name(other.getName()).equals(name(table.getName())));
        String alias = name(
                table.getAlias() == null ? table.getName() : table.getAlias().getName());
        return !twice && tables.put(alias, table) == null;
    }

    /** Records the equal columns of a condition that all rows meet. */
    private void join(@Nullable Expression condition) {
        if (condition instanceof ParenthesedExpressionList<?> list && list.size() == 1) {
            join(list.get(0));
        } else if (condition instanceof AndExpression both) {
            join(both.getLeftExpression());
            join(both.getRightExpression());
        } else if (condition instanceof EqualsTo equal
                && equal.getLeftExpression() instanceof Column left
                && equal.getRightExpression() instanceof Column right) {
            String one = column(left);
            String other = column(right);
            if (!one.isEmpty() && !other.isEmpty()) {
                String same = representative(one);
                String now = representative(other);
                representatives.putIfAbsent(one, one);
                representatives.putIfAbsent(other, other);
                representatives.replaceAll((each, of) -> of.equals(same) ? now : of);
            }
        }
    }

    private String representative(String column) {
        return representatives.getOrDefault(column, column);
    }

    /** Returns the alias of the table and the name of the column; empty for an unknown table, or for an element. */
    private String column(Column column) {
        if (column.getArrayConstructor() != null) {
            return "";
        }
        String name = name(column.getColumnName());
        if (column.getTable() != null) {
            String alias = name(column.getTable().getName());
            return tables.containsKey(alias) ? alias + '\n' + name : "";
        }
        return tables.size() == 1 ? tables.keySet().iterator().next() + '\n' + name : "";
    }

    private static String schema(Table table) {
        return table.getSchemaName() == null ? "" : name(table.getSchemaName());
    }

    /** Returns a name as the catalog contains it. */
    private static String name(String written) {
        char quote = written.charAt(0);
        return (quote == '"' || quote == '`') && written.length() > 1
                ? written.substring(1, written.length() - 1).replace("" + quote + quote, "" + quote)
                : written;
    }
}
