package io.multimed.middleware.dispatcher;

import io.multimed.middleware.dispatcher.SqlTokens.Token;
import io.multimed.middleware.node.engine.SqlDialect;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.CCJSqlParserUtil;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.WithItem;
import net.sf.jsqlparser.util.TablesNamesFinder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves that a statement is a pure read: a real parser sees one query, no word in it locks, changes or creates, every function is one that the master's
 * catalogue calls stable or immutable, and no table is of the engine's catalogue. Two independent looks, at the words and at the parse tree, must agree; in doubt the
 * statement goes to the master.
 *
 * <p>What is not pure is told apart: functions that are known to change nothing (a query that an application may declare to be a read), and all others, which never run
 * on a satellite.
 */
final class PureReadProof {
    private static final Logger LOG = LoggerFactory.getLogger(PureReadProof.class);

    private static final Set<String> IMPURE_WORDS =
            Set.of("INSERT", "UPDATE", "DELETE", "MERGE", "INTO", "SHARE", "CALL", "TRUNCATE", "TABLESAMPLE");

    /** What depends on who is connected, and to what: satellites are read as one user. */
    private static final Set<String> OF_THE_SESSION = Set.of(
            "USER",
            "CURRENT_USER",
            "SESSION_USER",
            "SYSTEM_USER",
            "CURRENT_ROLE",
            "CURRENT_CATALOG",
            "CURRENT_DATABASE",
            "CURRENT_SCHEMA",
            "CURRENT_SCHEMAS");

    /** Columns that tell where and when this engine wrote a row: each engine has its own. */
    private static final Set<String> SYSTEM_COLUMNS = Set.of("CTID", "XMIN", "XMAX", "CMIN", "CMAX", "TABLEOID");

    /** Words of the language that may stand before a parenthesis without being functions. */
    private static final Set<String> LANGUAGE_WORDS = Set.of(
            "SELECT",
            "DISTINCT",
            "ON",
            "FROM",
            "JOIN",
            "WHERE",
            "AND",
            "OR",
            "NOT",
            "IN",
            "EXISTS",
            "ANY",
            "ALL",
            "SOME",
            "AS",
            "OVER",
            "FILTER",
            "BY",
            "WHEN",
            "THEN",
            "ELSE",
            "CASE",
            "USING",
            "UNION",
            "INTERSECT",
            "EXCEPT",
            "LIMIT",
            "OFFSET",
            "HAVING",
            "BETWEEN",
            "LIKE",
            "ILIKE",
            "IS",
            "ROW",
            "VALUES",
            "LATERAL",
            "WITHIN",
            "GROUP",
            "SETS",
            "CUBE",
            "ROLLUP",
            "GROUPING",
            "MATERIALIZED",
            "WITH",
            "CAST",
            "EXTRACT",
            "SUBSTRING",
            "POSITION",
            "OVERLAY",
            "TRIM",
            "COALESCE",
            "NULLIF",
            "GREATEST",
            "LEAST",
            "ARRAY",
            "INTERVAL",
            "VARCHAR",
            "CHAR",
            "CHARACTER",
            "VARYING",
            "NUMERIC",
            "DECIMAL",
            "TIMESTAMP",
            "TIME",
            "BIT",
            "FLOAT",
            "WINDOW",
            "TABLE",
            "FETCH",
            "FIRST",
            "NEXT",
            "COLLATE",
            "SIMILAR",
            "TO");

    private static final int LONGEST = 100_000;

    private final SqlDialect dialect;
    private final Set<String> pureFunctions;
    private final Set<String> harmlessFunctions;

    PureReadProof(SqlDialect dialect, Set<String> pureFunctions) {
        this.dialect = dialect;
        this.pureFunctions = pureFunctions;
        this.harmlessFunctions = dialect.harmlessFunctions();
    }

    Verdict of(String sql, List<Token> tokens) {
        Verdict master = Verdict.of(Verdict.Kind.MASTER);
        if (sql.length() > LONGEST || tokens.stream().anyMatch(PureReadProof::isOfTheMaster)) {
            return master;
        }
        if (!(parse(sql) instanceof Select select)) {
            return master;
        }
        Set<String> tables = tables(select);
        Set<String> names = names(select);
        if (!functionsAreIn(tokens, names, name -> pureFunctions.contains(name) || harmlessFunctions.contains(name))) {
            return Verdict.of(
                    Verdict.Kind.EFFECT,
                    functionsAreIn(tokens, names, name -> pureFunctions.contains(name) || dialect.leavesNothing(name))
                            ? Verdict.Review.NEVER
                            : Verdict.Review.ALWAYS);
        }
        if (tables.stream().anyMatch(dialect::isCatalogue)
                || tokens.stream().anyMatch(token -> OF_THE_SESSION.contains(token.text()))) {
            return Verdict.of(Verdict.Kind.CATALOGUE);
        }
        return functionsAreIn(tokens, names, pureFunctions::contains) ? Verdict.read(tables) : Verdict.query(tables);
    }

    private static boolean isOfTheMaster(Token token) {
        return IMPURE_WORDS.contains(token.text())
                || SYSTEM_COLUMNS.contains(token.text().replace("\"", "").toUpperCase(Locale.ROOT));
    }

    /** Null if it is not understood. */
    private static @Nullable Statement parse(String sql) {
        for (boolean complex : new boolean[] {false, true}) {
            try {
                CCJSqlParser parser = CCJSqlParserUtil.newParser(sql).withAllowComplexParsing(complex);
                return parser.Statement();
            } catch (ParseException | RuntimeException | StackOverflowError e) {
                LOG.trace("not understood", e);
            }
        }
        return null;
    }

    /** Names that the statement gives itself: they may stand before a parenthesis with column names. */
    private static Set<String> names(Select select) {
        Set<String> names = new HashSet<>();
        List<WithItem<?>> withItems = select.getWithItemsList();
        if (withItems != null) {
            withItems.forEach(item -> names.add(item.getUnquotedAliasName().toLowerCase(Locale.ROOT)));
        }
        return names;
    }

    private static boolean functionsAreIn(List<Token> tokens, Set<String> ownNames, Predicate<String> known) {
        for (int i = 0; i + 1 < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (tokens.get(i + 1).text().equals("(")
                    && !mayOpenParenthesis(token, name -> ownNames.contains(name) || known.test(name))) {
                return false;
            }
        }
        return true;
    }

    private static boolean mayOpenParenthesis(Token token, Predicate<String> known) {
        return switch (token.kind()) {
            case SIGN, STRING -> true;
            case WORD ->
                LANGUAGE_WORDS.contains(token.text()) || known.test(token.text().toLowerCase(Locale.ROOT));
            case QUOTED_NAME ->
                known.test(token.text().substring(1, token.text().length() - 1));
        };
    }

    private static Set<String> tables(Select select) {
        Set<String> tables = new HashSet<>();
        for (String name : new TablesNamesFinder<Void>().getTables((Statement) select)) {
            tables.add(name.replace("\"", "").toLowerCase(Locale.ROOT));
        }
        return tables;
    }
}
