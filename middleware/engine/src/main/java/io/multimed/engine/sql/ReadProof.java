// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.util.TablesNamesFinder;
import org.jspecify.annotations.Nullable;

/**
 * Proves that a statement is a pure read: the parser finds one query, no word of it locks, changes or creates anything,
 * the master's catalog declares every function stable or immutable, and no table belongs to the engine's catalog. Two
 * independent checks, of the tokens and of the parse tree, must agree; in doubt the statement runs on the master.
 *
 * <p>Statements that are not pure reads are divided: those whose functions are known to change nothing (an application
 * may declare such a query to be a read), and all others, which never run on a satellite.
 */
public final class ReadProof {
    /** Maximum number of words and dots before a type's name: its schema and its database. */
    private static final int QUALIFIERS = 5;

    /** Number of bytes of the longest name that no engine shortens. */
    private static final int MAX_NAME_BYTES = 63;

    /** Words of changes that precede a list in parentheses. */
    private static final Set<String> OF_CHANGES = Set.of("CONFLICT", "SET", "RETURNING", "VALUES", "INSERT");

    private static final Pattern QUOTES = Pattern.compile("[\"`]");

    private final ReadRules rules;
    private final ReadRules.Words words;
    private final Set<String> pureFunctions;
    private final FunctionNames functions;
    private final Set<String> checkedTypes;
    private final boolean hasUserFunctions;
    private final boolean hasSettingFunctions;
    private final boolean hasErrorHandlers;
    private final Set<String> shareableTables;
    private final Set<String> mastersOperators;
    private final Set<String> deferringTables;
    private final HiddenState hiddenState;

    /** Omits the proof, for lack of time. */
    private final boolean blind;

    public ReadProof(ReadRules rules, SchemaFacts schema) {
        this(rules, schema, false);
    }

    private ReadProof(ReadRules rules, SchemaFacts schema, boolean blind) {
        this.blind = blind;
        this.rules = rules;
        this.words = rules.words();
        this.functions = schema.functions();
        this.pureFunctions = functions.pure();
        this.checkedTypes = schema.checkedTypes();
        this.hasUserFunctions = schema.hasUserFunctions();
        this.hasSettingFunctions = schema.hasSettingFunctions();
        this.hasErrorHandlers = schema.hasErrorHandlers();
        this.shareableTables = schema.shareableTables();
        this.mastersOperators = schema.mastersOperators();
        this.deferringTables = schema.deferringTables();
        this.hiddenState = schema.hiddenState();
    }

    /** Returns a proof without cost, by which every query runs on the master. */
    public static ReadProof none(ReadRules rules) {
        return new ReadProof(rules, SchemaFacts.UNKNOWN, true);
    }

    /**
     * Returns PURE_READ or another classification of the query. Takes at most 100 ms of processor time, and usually
     * less than 1 ms; longer only until the parser's own code is compiled.
     */
    public Classification of(SqlText query) {
        if (blind) {
            return Classification.of(Classification.Kind.MASTER, Classification.Review.ALWAYS)
                    .because("not examined");
        }
        try {
            return prove(query);
        } catch (StackOverflowError e) {
            return Classification.of(Classification.Kind.MASTER, Classification.Review.ALWAYS)
                    .because("not understood");
        }
    }

    /**
     * Returns whether a change of rows runs nothing but the engine's own pure code, so that other clients in the same
     * transaction notice nothing of it. If users' functions exist, no name may contain a dot: an expression that looks
     * like a column may be a function of the row.
     *
     * @param table the table's name, as {@code table} or {@code schema.table} in lower case
     * @param rest the tokens behind the name
     */
    public boolean isShareable(String table, List<Token> rest) {
        return !blind
                && shareableTables.contains(table)
                && rest.stream().noneMatch(this::isChecked)
                && !(hasUserFunctions && rest.stream().anyMatch(token -> token.isSign(".")))
                && functionOutside(rest, name -> !hasUserFunctions && pureFunctions.contains(name)) == null;
    }

    /** Returns whether an expression may call a function: one of a user, if there are any, or if there will be. */
    public boolean mayCallFunctions(List<Token> expression) {
        return expression.stream().anyMatch(token -> token.isSign("."))
                || functionOutside(expression, name -> false) != null;
    }

    /**
     * Returns whether a change of rows may leave work for the commit: it names a table with such work, or calls a
     * function that may do anything.
     */
    public boolean mayDefer(SqlText change) {
        if (blind || deferringTables.isEmpty()) {
            return blind;
        }
        Set<String> names = TableNames.in(change.tokens());
        return names == null
                || deferringTables.contains("")
                || names.stream().anyMatch(deferringTables::contains)
                || (hasUserFunctions && functionOutside(change.tokens(), pureFunctions::contains) != null);
    }

    /**
     * Returns whether a query or a change of rows may leave state in the engine's session by a function that it calls:
     * one that is not known to leave none. Names behind INTO and AS are those of tables.
     */
    public boolean mayLeaveState(SqlText statement) {
        if (blind) {
            return true;
        }
        List<Token> tokens = statement.tokens();
        Predicate<String> known = name -> pureFunctions.contains(name) || rules.leavesNothing(name);
        for (int i = 0; i < tokens.size(); i++) {
            boolean opens = i + 1 < tokens.size() && tokens.get(i + 1).isSign("(");
            boolean unknown = opens
                    ? !isOfChange(tokens, i) && isUnknownFunction(tokens, i, known)
                    : isUnknownAttribute(tokens, i, known);
            if (unknown || Token.isEscapedName(tokens, i)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a parenthesis behind the token begins a list of columns or rows. */
    private static boolean isOfChange(List<Token> tokens, int at) {
        int begin = at;
        while (begin > 1 && tokens.get(begin - 1).isSign(".")) {
            begin -= 2;
        }
        Token before = tokens.get(Math.max(begin - 1, 0));
        return OF_CHANGES.contains(tokens.get(at).text()) || before.is("INTO") || before.is("AS");
    }

    /**
     * Returns whether a query may have another result on a satellite than on the master: it depends on the session, on
     * the catalog or on the node, or calls a function that is not known to be pure. Without knowledge of the schema,
     * functions are not examined.
     */
    public boolean dependsOnSession(List<Token> query) {
        return differsByNode(query)
                || asksTheSession(query)
                || rules.namesCatalog(query)
                || (!blind && functionOutside(query, this::isReadable) != null);
    }

    private boolean isReadable(String function) {
        return pureFunctions.contains(function) || words.harmlessFunctions().contains(function);
    }

    /** Returns the objects whose use may leave state in the engine's session. */
    public HiddenState hiddenState() {
        return hiddenState;
    }

    /** Returns whether a change of rows may run code that handles errors. */
    public boolean mayHandleErrors() {
        return blind || hasErrorHandlers;
    }

    /**
     * Checks, in this order: words that change something, the parse tree, functions, the catalog, and values that
     * differ between nodes. The first check that fails determines the classification.
     */
    private Classification prove(SqlText query) {
        String sql = rules.parsable(query);
        List<Token> tokens = query.tokens();
        Optional<Token> impure = tokens.stream().filter(this::isOfTheMaster).findFirst();
        if (impure.isPresent()) {
            return Classification.of(
                            Classification.Kind.MASTER,
                            mayLeaveState(query) ? Classification.Review.ALWAYS : Classification.Review.NEVER)
                    .because("the word " + impure.get().text());
        }
        boolean differs = differsByNode(tokens);
        if (!(QueryParser.parse(sql, tokens) instanceof Select select)) {
            boolean leaves = differs || mayLeaveState(query);
            return Classification.of(
                            differs ? Classification.Kind.EFFECT : Classification.Kind.MASTER,
                            leaves ? Classification.Review.ALWAYS : Classification.Review.NEVER)
                    .because("not understood");
        }
        Set<String> tables = tables(select);
        Predicate<String> readable = this::isReadable;
        String impureFunction = functionOutside(tokens, readable.or(rules::asksTheEngine));
        if (impureFunction != null) {
            return effect(tokens).because("function " + impureFunction + "()");
        }
        if (rules.namesCatalog(tokens)
                || asksTheSession(tokens)
                || (differs && tables.isEmpty())
                || functionOutside(tokens, readable) != null) {
            Classification catalog = Classification.of(Classification.Kind.CATALOG);
            return tables.stream().allMatch(rules::isCatalog) ? catalog : catalog.with(Classification.Trait.READS_ROWS);
        }
        if (differs) {
            return Classification.of(Classification.Kind.EFFECT, Classification.Review.NEVER)
                    .because(
                            "system columns, object identifiers, a cast to a constrained domain, or an operator or cast "
                                    + "that only the master has");
        }
        String harmless = functionOutside(tokens, pureFunctions::contains);
        return harmless == null
                ? read(tables, query, select)
                : Classification.query(tables).because("function " + harmless + "()");
    }

    /**
     * Returns a pure read, with traits that depend on the functions which users have defined: a view or operator may
     * call them.
     */
    private Classification read(Set<String> tables, SqlText query, Select select) {
        Set<String> named = TableNames.in(query.tokens());
        Classification read = Classification.read(tables, named, FootprintReader.read(rules, query, select, named));
        Classification trusting = hasUserFunctions ? read.with(Classification.Trait.MAY_RUN_USER_FUNCTIONS) : read;
        return hasSettingFunctions ? trusting.with(Classification.Trait.MAY_CHANGE_SESSION) : trusting;
    }

    /**
     * Returns the classification of a query with an unknown function. The session is examined afterwards, unless all
     * functions are known to leave no state.
     */
    private Classification effect(List<Token> tokens) {
        String unknown = functionOutside(tokens, name -> pureFunctions.contains(name) || rules.leavesNothing(name));
        return Classification.of(
                Classification.Kind.EFFECT,
                unknown == null ? Classification.Review.NEVER : Classification.Review.ALWAYS);
    }

    /** Returns whether a query depends on the session. In quotes, the words may be the names of functions. */
    private boolean asksTheSession(List<Token> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            boolean calls = token.kind() == Token.Kind.QUOTED_NAME
                    && i + 1 < tokens.size()
                    && tokens.get(i + 1).isSign("(");
            String word = calls ? Token.upperCase(rules.unquoted(token.text())) : token.text();
            if (words.session().contains(word)) {
                return true;
            }
        }
        return false;
    }

    private boolean isOfTheMaster(Token token) {
        return words.impure().contains(token.text());
    }

    /** Returns whether the result of a satellite could differ from the master's, although the query changes nothing. */
    private boolean differsByNode(List<Token> tokens) {
        return rules.asksForNumbers(tokens)
                || tokens.stream().anyMatch(this::isSystemColumn)
                || castsToCheckedType(tokens)
                || runsMastersOperator(tokens);
    }

    /**
     * Returns whether signs that follow each other without a space contain the name of an operator that only the master
     * has. The engine's own division of the signs into operators need not be known.
     */
    private boolean runsMastersOperator(List<Token> tokens) {
        if (mastersOperators.isEmpty()) {
            return false;
        }
        StringBuilder signs = new StringBuilder();
        int end = -1;
        for (Token token : tokens) {
            if (token.kind() == Token.Kind.SIGN) {
                signs.append(token.begin() == end ? "" : " ").append(token.text());
                end = token.end();
            }
        }
        return mastersOperators.stream().anyMatch(name -> signs.indexOf(name) >= 0);
    }

    private boolean isSystemColumn(Token token) {
        String name = token.kind() == Token.Kind.QUOTED_NAME ? rules.unquoted(token.text()) : token.text();
        return words.systemColumns().contains(name.toUpperCase(Locale.ROOT));
    }

    /** Returns whether the query casts to a type of which satellites lack the constraints. */
    private boolean castsToCheckedType(List<Token> tokens) {
        for (int i = 1; i < tokens.size(); i++) {
            if (isChecked(tokens.get(i)) && isInCast(tokens, i)) {
                return true;
            }
        }
        return false;
    }

    private boolean isChecked(Token token) {
        return switch (token.kind()) {
            case WORD -> isChecked(token.text());
            case QUOTED_NAME -> isChecked(rules.unquoted(token.text()));
            case SIGN, STRING -> false;
        };
    }

    /** Engines shorten long names. */
    private boolean isChecked(String name) {
        String type = name.toLowerCase(Locale.ROOT);
        return checkedTypes.contains(type)
                || (isShortened(type) && checkedTypes.stream().anyMatch(type::startsWith));
    }

    /**
     * Returns whether the name follows "::", is the type of CAST (... AS type), or precedes a constant (type '...').
     * Columns may have the names of types.
     */
    private static boolean isInCast(List<Token> tokens, int name) {
        int begin = name;
        int first = Math.max(1, name - QUALIFIERS);
        while (begin > first && tokens.get(begin - 1).isSign(".")) {
            begin -= 2;
        }
        Token before = tokens.get(Math.max(begin - 1, 0));
        if (before.isSign(":")) {
            return true;
        }
        Token behind = tokens.get(Math.min(name + 1, tokens.size() - 1));
        return behind.kind() == Token.Kind.STRING
                || (before.is("AS") && (behind.isSign(")") || behind.isSign("[") || behind.is("ARRAY")));
    }

    /**
     * Returns the first function that is not known, as it is written; null if there is none. A name calls a function if
     * a parenthesis follows, whatever else has the name, or if it stands behind a dot: {@code (t.a).f} is {@code
     * f(t.a)}. A name with escapes counts wherever it stands.
     */
    private @Nullable String functionOutside(List<Token> tokens, Predicate<String> known) {
        for (int i = 0; i < tokens.size(); i++) {
            boolean opens = i + 1 < tokens.size() && tokens.get(i + 1).isSign("(");
            boolean unknown = opens ? isUnknownFunction(tokens, i, known) : isUnknownAttribute(tokens, i, known);
            if (unknown || Token.isEscapedName(tokens, i)) {
                Token token = tokens.get(i);
                return token.kind() == Token.Kind.WORD ? Token.lowerCase(token.text()) : token.text();
            }
        }
        return null;
    }

    private boolean isUnknownFunction(List<Token> tokens, int i, Predicate<String> known) {
        return isUnknownByItsSchema(tokens, i)
                || !(mayOpenParenthesis(tokens, i, known) || WithItems.isNameAt(tokens, i));
    }

    /** Returns whether a name behind a dot, without a parenthesis, may call a function that is not known. */
    private boolean isUnknownAttribute(List<Token> tokens, int i, Predicate<String> known) {
        if (i == 0 || !tokens.get(i - 1).isSign(".")) {
            return false;
        }
        Token token = tokens.get(i);
        return switch (token.kind()) {
            case WORD -> isUnknownAttribute(token.text(), known);
            case QUOTED_NAME -> isUnknownAttribute(rules.unquoted(token.text()), known);
            case SIGN, STRING -> false;
        };
    }

    /** Compares names as they are stored: in lower case. A name that engines shorten may be that of any function. */
    private boolean isUnknownAttribute(String text, Predicate<String> known) {
        if (functions.attributes().isEmpty()) {
            return false;
        }
        String name = text.toLowerCase(Locale.ROOT);
        return isShortened(name) || (functions.attributes().contains(name) && !isKnown(name, known));
    }

    /** Returns whether facts hold for the functions with this name, of which none is a user's. */
    private boolean isKnown(String name, Predicate<String> known) {
        return known.test(name) && !functions.users().contains(name);
    }

    private static boolean isShortened(String name) {
        return name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES;
    }

    /** Returns whether the function has a schema, on an engine where qualified functions are users' functions. */
    private boolean isUnknownByItsSchema(List<Token> tokens, int i) {
        return i > 0 && tokens.get(i - 1).isSign(".") && !rules.knowsQualifiedFunctions();
    }

    /**
     * Returns whether a parenthesis may follow the token: after signs, words of the language and known functions. A
     * function of a user may have the name of a word that the language does not reserve.
     */
    private boolean mayOpenParenthesis(List<Token> tokens, int i, Predicate<String> known) {
        Token token = tokens.get(i);
        return switch (token.kind()) {
            case SIGN, STRING -> true;
            case WORD -> {
                String name = Token.lowerCase(token.text());
                boolean users = functions.users().contains(name) && !rules.isBuiltIn(token, tokens.get(i + 1));
                yield !users
                        && (known.test(name)
                                || (words.language().contains(token.text())
                                        && !functions.impure().contains(name)));
            }
            case QUOTED_NAME -> rules.knowsQuotedFunctions() && isKnown(rules.unquoted(token.text()), known);
        };
    }

    /** Returns the tables that the query names, in lower case and without quotes. */
    private static Set<String> tables(Select select) {
        Set<String> tables = new HashSet<>();
        for (String name : new TablesNamesFinder<Void>().getTables((Statement) select)) {
            tables.add(QUOTES.matcher(name).replaceAll("").toLowerCase(Locale.ROOT));
        }
        return tables;
    }
}
