// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import io.multimed.engine.sql.ReadFootprint.Equality;
import io.multimed.engine.sql.ReadFootprint.Operand;
import io.multimed.engine.sql.ReadFootprint.Qualified;
import io.multimed.engine.sql.ReadFootprint.Reference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.sf.jsqlparser.expression.Alias;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.JdbcParameter;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.StringValue;
import net.sf.jsqlparser.expression.operators.conditional.AndExpression;
import net.sf.jsqlparser.expression.operators.relational.EqualsTo;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.select.FromItem;
import net.sf.jsqlparser.statement.select.Join;
import net.sf.jsqlparser.statement.select.ParenthesedFromItem;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.util.TablesNamesFinder;
import org.jspecify.annotations.Nullable;

/**
 * Reads the {@link ReadFootprint} of a pure read from its tokens and its parse tree. Whatever is not certain makes the
 * footprint larger; a result that may depend on more than the rows of tables has none.
 */
public final class FootprintReader {
    /** Words by which a query reads columns that it does not name, or combines queries. */
    private static final Set<String> WHOLE_ROW_WORDS = Set.of("NATURAL", "TABLE");

    private static final Set<String> COMBINING_WORDS =
            Set.of("WITH", "UNION", "INTERSECT", "EXCEPT", "MINUS", "VALUES", "LATERAL", "TABLE", "PIVOT", "UNPIVOT");

    /** Words that may join the condition before or behind them to something else than a conjunct. */
    private static final Set<String> BINDING_WORDS =
            Set.of("OR", "NOT", "XOR", "BETWEEN", "CASE", "ANY", "ALL", "SOME", "OVERLAPS", "ESCAPE", "INTERVAL");

    /** Words behind a conjunct of the WHERE clause. */
    private static final Set<String> ENDING_WORDS =
            Set.of("AND", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "FETCH", "WINDOW");

    private static final Set<String> CAST_WORDS = Set.of("CAST", "TRY_CAST", "SAFE_CAST", "CONVERT");

    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,17}|0");

    /** A string without quotes and escapes in it. */
    private static final Pattern PLAIN_STRING = Pattern.compile("'([^'\\\\]+)'");

    /** A string of one part without escapes, or with another delimiter than quotes. */
    private static final Pattern VERBATIM_STRING = Pattern.compile("(?s)'(?:[^'\\\\]|'')*'|\\$.*");

    /** In a string or parameter that becomes a time, these words stand for the current one. */
    private static final Pattern CURRENT_TIME =
            Pattern.compile("(?i)(?<![a-z])(now|today|tomorrow|yesterday)(?![a-z])");

    private final ReadRules rules;
    private final ReadRules.Times times;
    private final SqlText query;
    private final List<Token> tokens;
    private final Declarations declared = new Declarations();

    private FootprintReader(ReadRules rules, SqlText query) {
        this.rules = rules;
        this.times = rules.times();
        this.query = query;
        this.tokens = query.tokens();
    }

    /**
     * Returns the footprint of a query that is proved to be a pure read; null if its result may change without a change
     * of a row.
     *
     * @param names all names in the text; null if they are unknown
     */
    static @Nullable ReadFootprint read(ReadRules rules, SqlText query, Select select, @Nullable Set<String> names) {
        return names == null ? null : new FootprintReader(rules, query).read(select, names);
    }

    /** Returns whether a text that is converted to a time may stand for the current one. */
    public static boolean mayBeCurrentTime(String text) {
        return CURRENT_TIME.matcher(text).find();
    }

    private @Nullable ReadFootprint read(Select select, Set<String> names) {
        if (!isTimeIndependent()) {
            return null;
        }
        declared.getTables((Statement) select);
        boolean wholeRows = hasStar() || hasAny(WHOLE_ROW_WORDS) || usesRowsAsValues();
        boolean single = select instanceof PlainSelect && count("SELECT") == 1 && !hasAny(COMBINING_WORDS);
        Optional<List<From>> from = single ? from((PlainSelect) select) : Optional.empty();
        if (from.isEmpty()) {
            return new ReadFootprint(names, names, qualified(), wholeRows, List.of(), List.of());
        }
        List<From> tables = from.get();
        Set<String> free = distribute(tables);
        List<Equality> unqualified = new ArrayList<>();
        Set<Condition> written = conditionsInText();
        for (Expression each : conditions(((PlainSelect) select).getWhere())) {
            Condition condition = condition(each);
            if (condition != null && written.contains(condition)) {
                assign(condition, tables, unqualified);
            }
        }
        return new ReadFootprint(
                names,
                free,
                qualified(),
                wholeRows,
                tables.stream()
                        .map(each -> new Reference(each.table, Set.copyOf(each.names), List.copyOf(each.equalities)))
                        .toList(),
                List.copyOf(unqualified));
    }

    /** Returns whether the result depends on nothing but rows, parameters and settings that no statement changes. */
    private boolean isTimeIndependent() {
        boolean casts = hasAny(CAST_WORDS);
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            boolean bad = switch (token.kind()) {
                case STRING -> times.inStrings() && mayBecomeCurrentTime(i);
                case SIGN -> token.isSign(":") && isCast(i) && !isTimeIndependentType(i + 1);
                case WORD ->
                    times.words().contains(token.text())
                            || movesToAnotherZone(i)
                            || (casts && token.is("AS") && !isTimeIndependentType(i + 1))
                            || (isFunction(i)
                                    && !rules.words().language().contains(token.text())
                                    && !times.timeIndependentFunctions().contains(Token.lowerCase(token.text())));
                case QUOTED_NAME -> isFunction(i);
            };
            if (bad) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a string in the text may stand for the current time. Its escapes could hide that. */
    private boolean mayBecomeCurrentTime(int i) {
        String text = query.text(tokens.get(i));
        boolean isVerbatim = VERBATIM_STRING.matcher(text).matches()
                && !(i > 0 && tokens.get(i - 1).isSign("&"));
        return !isVerbatim || mayBeCurrentTime(text);
    }

    /** Returns whether AT TIME ZONE, or AT LOCAL, begins here: for a time, the offset is that of the current date. */
    private boolean movesToAnotherZone(int i) {
        return tokens.get(i).is("AT")
                && i + 1 < tokens.size()
                && (tokens.get(i + 1).is("TIME") || tokens.get(i + 1).is("LOCAL"));
    }

    /** Returns whether the second colon of a cast is at this index. */
    private boolean isCast(int i) {
        return i > 0 && tokens.get(i - 1).isSign(":");
    }

    /** A text that is computed could become the current time by a cast to other types. */
    private boolean isTimeIndependentType(int i) {
        return i < tokens.size()
                && tokens.get(i).kind() == Token.Kind.WORD
                && times.timeIndependentTypes().contains(tokens.get(i).text());
    }

    private boolean isFunction(int i) {
        return i + 1 < tokens.size() && tokens.get(i + 1).isSign("(");
    }

    /** Returns whether the text contains a star other than that of {@code count(*)}. */
    private boolean hasStar() {
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).isSign("*")
                    && !(i >= 2
                            && tokens.get(i - 1).isSign("(")
                            && tokens.get(i - 2).is("COUNT")
                            && i + 1 < tokens.size()
                            && tokens.get(i + 1).isSign(")"))) {
                return true;
            }
        }
        return false;
    }

    private boolean hasAny(Set<String> words) {
        return tokens.stream().anyMatch(token -> token.kind() == Token.Kind.WORD && words.contains(token.text()));
    }

    private long count(String word) {
        return tokens.stream().filter(token -> token.is(word)).count();
    }

    /**
     * Returns whether a table or its alias may be used as a value, which contains all columns of a row: a name occurs
     * more often, without a dot behind it, than tables have it. Also if columns have other names in the query.
     */
    private boolean usesRowsAsValues() {
        if (declared.renamesColumns) {
            return true;
        }
        Map<String, Integer> seen = new HashMap<>();
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            boolean isName = token.kind() == Token.Kind.WORD || token.kind() == Token.Kind.QUOTED_NAME;
            boolean qualifies = i + 1 < tokens.size() && tokens.get(i + 1).isSign(".");
            if (isName && !qualifies) {
                seen.merge(TableNames.normal(token.text()), 1, Integer::sum);
            }
        }
        return declared.times.entrySet().stream()
                .anyMatch(each -> seen.getOrDefault(each.getKey(), 0) > each.getValue());
    }

    /** Counts how often each name is that of a table or an alias of one. */
    private static final class Declarations extends TablesNamesFinder<Void> {
        private final Map<String, Integer> times = new HashMap<>();
        private final Map<String, Set<String>> tables = new HashMap<>();
        private final Set<Table> known = Collections.newSetFromMap(new IdentityHashMap<>());
        private boolean renamesColumns;

        @Override
        public <S> Void visit(Table table, S context) {
            if (known.add(table)) {
                declare(table.getName(), table);
                Alias alias = table.getAlias();
                if (alias != null) {
                    declare(alias.getName(), table);
                    renamesColumns |= alias.getAliasColumns() != null
                            && !alias.getAliasColumns().isEmpty();
                }
            }
            return super.visit(table, context);
        }

        /** A name for a join in parentheses stands for rows of all its tables, and may rename their columns. */
        @Override
        public <S> Void visit(ParenthesedFromItem join, S context) {
            renamesColumns |= join.getAlias() != null;
            return super.visit(join, context);
        }

        private void declare(String name, Table table) {
            String normal = TableNames.normal(name);
            times.merge(normal, 1, Integer::sum);
            tables.computeIfAbsent(normal, unused -> new HashSet<>()).add(TableNames.normal(table.getName()));
        }
    }

    /** A table in the FROM clause, with the name by which the query refers to its columns. */
    private static final class From {
        private final String table;
        private final String name;
        private final Set<String> names = new HashSet<>();
        private final List<Equality> equalities = new ArrayList<>();

        From(Table table) {
            this.table = TableNames.normal(table.getName());
            this.name = table.getAlias() == null
                    ? this.table
                    : TableNames.normal(table.getAlias().getName());
        }
    }

    /** Returns the tables of the FROM clause; empty if it contains anything else. */
    private static Optional<List<From>> from(PlainSelect select) {
        List<FromItem> items = new ArrayList<>();
        if (select.getFromItem() != null) {
            items.add(select.getFromItem());
        }
        for (Join join : select.getJoins() == null ? List.<Join>of() : select.getJoins()) {
            items.add(join.getFromItem());
        }
        return items.stream().allMatch(item -> item instanceof Table)
                ? Optional.of(items.stream().map(item -> new From((Table) item)).toList())
                : Optional.empty();
    }

    /** Gives each name behind that of a table, and a dot, to the table. Returns all others. */
    private Set<String> distribute(List<From> tables) {
        Set<String> free = new HashSet<>();
        for (int i = 0; i < tokens.size(); i++) {
            if (isName(i)) {
                String name = TableNames.normal(tokens.get(i).text());
                String qualifier =
                        isQualified(i) ? TableNames.normal(tokens.get(i - 2).text()) : "";
                List<From> owners = tables.stream()
                        .filter(each -> each.name.equals(qualifier))
                        .toList();
                owners.forEach(each -> each.names.add(name));
                if (owners.isEmpty()) {
                    free.add(name);
                }
            }
        }
        return Set.copyOf(free);
    }

    /** Returns the names behind a dot and the name or alias of a table. */
    private Set<Qualified> qualified() {
        Set<Qualified> names = new HashSet<>();
        for (int i = 2; i < tokens.size(); i++) {
            if (isName(i) && isQualified(i)) {
                Set<String> tables =
                        declared.tables.get(TableNames.normal(tokens.get(i - 2).text()));
                if (tables != null) {
                    names.add(new Qualified(
                            Set.copyOf(tables), TableNames.normal(tokens.get(i).text())));
                }
            }
        }
        return Set.copyOf(names);
    }

    private boolean isQualified(int i) {
        return i >= 2 && tokens.get(i - 1).isSign(".") && isName(i - 2);
    }

    /**
     * Returns the conditions of which the WHERE clause is the conjunction; those in parentheses as one. The parser
     * takes {@code a IN (1) AND b = 2} for {@code a IN ((1) AND b = 2)}.
     */
    private static List<Expression> conditions(@Nullable Expression where) {
        List<Expression> conditions = new ArrayList<>();
        Deque<Expression> rest = new ArrayDeque<>();
        if (where != null) {
            rest.add(where);
        }
        while (!rest.isEmpty()) {
            Expression each = rest.pop();
            if (each instanceof AndExpression and) {
                rest.push(and.getLeftExpression());
                rest.push(and.getRightExpression());
            } else if (each instanceof InExpression in && in.getRightExpression() instanceof AndExpression and) {
                rest.push(and);
            } else {
                conditions.add(each);
            }
        }
        return conditions;
    }

    /**
     * The condition that a column equals a value.
     *
     * @param qualifier name before the column; empty if there is none
     */
    private record Condition(String qualifier, Equality equality) {}

    /** Assigns an equality to the table of its column, if the table is certain. */
    private static void assign(Condition condition, List<From> tables, List<Equality> unqualified) {
        if (condition.qualifier.isEmpty()) {
            unqualified.add(condition.equality);
            return;
        }
        List<From> named = tables.stream()
                .filter(each -> each.name.equals(condition.qualifier))
                .toList();
        if (named.size() == 1) {
            named.get(0).equalities.add(condition.equality);
        }
    }

    /**
     * Returns the conditions that the tokens show to be conjuncts of the WHERE clause: the parser's understanding of a
     * text may differ from the engine's. None if the text contains a word or sign that may bind them differently.
     */
    private Set<Condition> conditionsInText() {
        Set<Condition> found = new HashSet<>();
        if (hasAny(BINDING_WORDS) || tokens.stream().anyMatch(each -> each.isSign("|") || each.isSign("&"))) {
            return found;
        }
        int depth = 0;
        int parameters = 0;
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (token.isSign("(")) {
                depth++;
            } else if (token.isSign(")")) {
                depth--;
            } else if (token.isSign("=") && depth == 0) {
                Condition condition = conditionAround(i, parameters);
                if (condition != null) {
                    found.add(condition);
                }
            } else if (token.isSign("?")) {
                parameters++;
            }
        }
        return found;
    }

    /** @param parameters number of placeholders before the sign */
    private @Nullable Condition conditionAround(int sign, int parameters) {
        boolean isLast = sign + 2 >= tokens.size();
        if (sign < 2
                || sign + 1 >= tokens.size()
                || !(isLast || ENDING_WORDS.contains(tokens.get(sign + 2).text()))) {
            return null;
        }
        boolean isQualified = sign >= 4 && tokens.get(sign - 2).isSign(".");
        int begin = isQualified ? sign - 3 : sign - 1;
        Token before = tokens.get(begin - 1);
        Operand operand = operand(tokens.get(sign + 1), parameters);
        if (operand == null || !(before.is("WHERE") || before.is("AND")) || !isName(begin) || !isName(sign - 1)) {
            return null;
        }
        return new Condition(
                isQualified ? TableNames.normal(tokens.get(begin).text()) : "",
                new Equality(TableNames.normal(tokens.get(sign - 1).text()), operand));
    }

    private boolean isName(int i) {
        Token.Kind kind = tokens.get(i).kind();
        return kind == Token.Kind.WORD || kind == Token.Kind.QUOTED_NAME;
    }

    private @Nullable Operand operand(Token token, int parameters) {
        return switch (token.kind()) {
            case SIGN -> token.isSign("?") ? new Operand.Parameter(parameters) : null;
            case WORD -> NUMBER.matcher(token.text()).matches() ? new Operand.IntegerLiteral(token.text()) : null;
            case STRING -> {
                Matcher text = PLAIN_STRING.matcher(query.text(token));
                yield text.matches() ? new Operand.StringLiteral(text.group(1)) : null;
            }
            case QUOTED_NAME -> null;
        };
    }

    /** Returns an equality of a column and a value; null if the expression is another one. */
    private static @Nullable Condition condition(Expression expression) {
        if (expression instanceof EqualsTo equals && equals.getLeftExpression() instanceof Column column) {
            Operand operand = operand(equals.getRightExpression());
            Table qualifier = column.getTable();
            return operand == null
                    ? null
                    : new Condition(
                            qualifier == null || qualifier.getName() == null
                                    ? ""
                                    : TableNames.normal(qualifier.getName()),
                            new Equality(TableNames.normal(column.getColumnName()), operand));
        }
        return null;
    }

    private static @Nullable Operand operand(Expression value) {
        if (value instanceof JdbcParameter parameter && parameter.getIndex() != null) {
            return new Operand.Parameter(parameter.getIndex() - 1);
        }
        if (value instanceof LongValue number) {
            return new Operand.IntegerLiteral(number.getStringValue());
        }
        if (value instanceof StringValue text && text.getPrefix() == null) {
            return new Operand.StringLiteral(text.getValue());
        }
        return null;
    }
}
