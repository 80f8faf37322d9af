// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.Classification.Review;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Classifies statements that create, remove or request state of the engine's session: SET, PREPARE, DECLARE, temporary
 * tables, session-level locks (triggers-sql/README.md, "Session state").
 */
final class PostgresSessionStatements {
    private static final Set<String> LOCAL_SETTINGS = Set.of("LOCAL", "TRANSACTION", "CONSTRAINTS");

    private static final Set<String> TRANSACTION_SETTINGS =
            Set.of("TRANSACTION_ISOLATION", "TRANSACTION_READ_ONLY", "TRANSACTION_DEFERRABLE");

    /** What settings are stored for, by ALTER. */
    private static final Set<String> STORING = Set.of("DATABASE", "ROLE", "USER", "SYSTEM");

    /** Settings on which capture depends; statements that name them are refused. */
    private static final Pattern FORBIDDEN =
            Pattern.compile("\\bmultimed\\.|session_replication_role|event_triggers", Pattern.CASE_INSENSITIVE);

    private static final Pattern SEARCH_PATH = Pattern.compile("search_path", Pattern.CASE_INSENSITIVE);

    private static final Set<String> LOCKING = Set.of(
            "PG_ADVISORY_LOCK", "PG_ADVISORY_LOCK_SHARED", "PG_TRY_ADVISORY_LOCK", "PG_TRY_ADVISORY_LOCK_SHARED");

    private static final Set<String> UNLOCKING =
            Set.of("PG_ADVISORY_UNLOCK", "PG_ADVISORY_UNLOCK_SHARED", "PG_ADVISORY_UNLOCK_ALL");

    /** Functions that leave state in the session which the engine lists nowhere: the client keeps the session. */
    private static final Set<String> HIDDEN_STATE =
            StateInFunctions.UNLISTED.stream().map(Token::upperCase).collect(Collectors.toUnmodifiableSet());

    /** Functions that execute a text as SQL. */
    private static final Set<String> RUNNING_TEXTS = Set.of(
            "QUERY_TO_XML",
            "QUERY_TO_XMLSCHEMA",
            "QUERY_TO_XML_AND_XMLSCHEMA",
            "TABLE_TO_XML",
            "TABLE_TO_XMLSCHEMA",
            "TABLE_TO_XML_AND_XMLSCHEMA",
            "CURSOR_TO_XML",
            "TS_STAT",
            "TS_REWRITE",
            "CROSSTAB",
            "CROSSTAB2",
            "CROSSTAB3",
            "CROSSTAB4",
            "CONNECTBY",
            "XPATH_TABLE");

    /** Functions that read all tables and views of a schema. */
    private static final Set<String> READING_SCHEMAS =
            Set.of("SCHEMA_TO_XML", "SCHEMA_TO_XML_AND_XMLSCHEMA", "DATABASE_TO_XML", "DATABASE_TO_XML_AND_XMLSCHEMA");

    /** The view in which the engine lists its settings; an UPDATE sets them. */
    private static final Set<String> SETTINGS_VIEW = Set.of("PG_SETTINGS");

    private static final Set<String> SEQUENCE_MEMORY = Set.of("CURRVAL", "LASTVAL");
    private static final Set<String> LAST_OF_ANY = Set.of("LASTVAL");

    private static final String NO_SESSION =
            "there is no session that could know this: use it in the transaction that it refers to, or INSERT ... RETURNING";

    private PostgresSessionStatements() {}

    /** Classifies by the first word; returns null if the statement does not concern the session. */
    static @Nullable Classification of(SqlText statement) {
        Classification of = byFirstWord(statement);
        return of == null ? null : withNames(statement, of);
    }

    /** Returns whether a statement may change the search path, by which the engine names types. */
    private static boolean changesPath(SqlText statement) {
        return SEARCH_PATH.matcher(statement.text()).find() || (statement.isAt(0, "SET") && statement.has("SCHEMA"));
    }

    private static @Nullable Classification byFirstWord(SqlText statement) {
        return switch (statement.word(0)) {
            case "SET" -> set(statement);
            case "RESET" -> reset(statement);
            case "PREPARE" ->
                statement.word(1).equals("TRANSACTION")
                        ? Classification.refused("prepared transactions are not supported through Multimed")
                        : Classification.sessionState(settingsOf(statement));
            case "DECLARE" ->
                statement.has("HOLD")
                        ? Classification.sessionState(settingsOf(statement))
                        : PostgresTransactionStatements.within("DECLARE CURSOR").withSettings(settingsOf(statement));
            case "EXECUTE", "FETCH", "MOVE" ->
                Classification.sameSession(NO_SESSION).with(Review.ALWAYS).withSettings(settingsOf(statement));
            case "DEALLOCATE", "CLOSE", "UNLISTEN", "DROP" -> Classification.of(Kind.MASTER, Review.IF_PINNED);
            case "DISCARD" ->
                statement.word(1).equals("ALL")
                        ? Classification.of(Kind.DISCARD_ALL)
                                .outsideTransactions("DISCARD ALL cannot run inside a transaction block")
                        : Classification.of(Kind.MASTER, Review.IF_PINNED);
            case "LISTEN" ->
                Classification.refused(
                        "LISTEN is not supported through Multimed: notifications do not reach its clients");
            case "LOAD" ->
                Classification.refused(
                        "LOAD is not supported through Multimed: load libraries by the engine's configuration");
            case "DO" ->
                Classification.of(Kind.MASTER, Review.ALWAYS)
                        .with(Classification.Trait.MAY_CHANGE_SCHEMA)
                        .with(Classification.Trait.DEPENDS_ON_SESSION)
                        .withSettings(settingsOfBody(statement));
            case "CALL" ->
                configuresOwn(statement)
                        ? refusedSetting()
                        : Classification.of(Kind.MASTER, Review.ALWAYS)
                                .with(Classification.Trait.MAY_CHANGE_SCHEMA)
                                .with(Classification.Trait.DEPENDS_ON_SESSION)
                                .withSettings(settingsOf(statement));
            case "SHOW" ->
                isOfTransaction(statement)
                        ? Classification.of(Kind.MASTER)
                        : Classification.of(Kind.MASTER).with(Classification.Trait.SHOWS_SETTINGS);
            case "CREATE" -> isTemporary(statement) ? Classification.sessionState(settingsOf(statement)) : null;
            default -> null;
        };
    }

    /** Returns whether the statement stores or removes a setting of sessions that begin later. */
    static boolean storesSetting(SqlText statement) {
        boolean stores = statement.has("SET") || statement.has("RESET");
        return stores && statement.isAt(0, "ALTER") && STORING.contains(statement.word(1));
    }

    /** Returns whether the statement stores or removes a setting on which capture depends. */
    static boolean storesCaptureSetting(SqlText statement) {
        return storesSetting(statement) && forbidden(statement);
    }

    /** The body of DO is not examined if its text has escapes. */
    private static Set<String> settingsOfBody(SqlText statement) {
        Set<String> settings = new HashSet<>(StateInFunctions.settingsOf(statement.text()));
        for (int i = 0; i < statement.tokens().size(); i++) {
            Token token = statement.tokens().get(i);
            boolean escaped = token.kind() == Token.Kind.STRING
                    && (Character.isLetter(statement.text(token).charAt(0)) || statement.isSignAt(i - 1, "&"));
            if (escaped) {
                settings.add(Classification.ANY_SETTING);
            }
        }
        return settings;
    }

    private static Classification reset(SqlText statement) {
        if (forbidden(statement)) {
            return refusedSetting();
        }
        Classification classification = Classification.of(Kind.MASTER, Review.ALWAYS);
        return statement.isAt(1, "ALL") ? classification.with(Classification.Trait.RESETS_SETTINGS) : classification;
    }

    /** Classifies a query by its functions and its INTO; returns null if it does not concern the session. */
    static @Nullable Classification ofQuery(SqlText statement) {
        if (statement.has("INTO")
                && (statement.has("TEMP") || statement.has("TEMPORARY") || namesTemporarySchema(statement))) {
            return Classification.sessionState(settingsOf(statement));
        }
        return ofFunctions(statement, Kind.EFFECT);
    }

    /** Classifies a change of rows by its functions; returns null if they do not concern the session. */
    static @Nullable Classification ofChange(SqlText statement) {
        if (statement.isAt(0, "UPDATE") && calls(statement, SETTINGS_VIEW)) {
            return forbidden(statement) ? refusedSetting() : Classification.sessionState(Classification.ANY_SETTING);
        }
        return ofFunctions(statement, Kind.MASTER);
    }

    /** Searches the words of a statement for functions that concern the session. */
    private static @Nullable Classification ofFunctions(SqlText statement, Kind unlocking) {
        if (calls(statement, Set.of("SET_CONFIG"))) {
            return configuring(statement);
        }
        if (calls(statement, HIDDEN_STATE) || calls(statement, LOCKING)) {
            return Classification.sessionState(settingsOf(statement));
        }
        if (calls(statement, UNLOCKING)) {
            return Classification.of(unlocking, Review.IF_PINNED);
        }
        if (!calls(statement, SEQUENCE_MEMORY)) {
            return null;
        }
        Classification asks = Classification.sameSession(NO_SESSION);
        return calls(statement, LAST_OF_ANY) ? asks.with(Classification.Trait.ASKS_LAST_VALUE) : asks;
    }

    private static Classification configuring(SqlText statement) {
        if (forbidden(statement)) {
            return refusedSetting();
        }
        return DriverSettings.isConfigured(statement)
                ? Classification.refused(DriverSettings.REASON)
                : withNames(statement, Classification.sessionState(settingsOf(statement)));
    }

    private static boolean configuresOwn(SqlText statement) {
        return calls(statement, Set.of("SET_CONFIG")) && forbidden(statement);
    }

    /** Returns the settings that functions in the text may change, as in {@link Classification#settings}. */
    private static Set<String> settingsOf(SqlText statement) {
        Set<String> settings =
                new HashSet<>(SettingCalls.inCalls(statement.text(), calls(statement, Set.of("SET_CONFIG"))));
        if (calls(statement, HIDDEN_STATE)) {
            settings.add(Classification.ANY_SETTING);
        }
        settings.addAll(settingsOfTexts(statement));
        return settings;
    }

    /** Returns whether a statement contains texts that the engine executes. */
    static boolean runsTexts(SqlText statement) {
        return statement.isAt(0, "DO") || calls(statement, RUNNING_TEXTS);
    }

    /** Returns whether a statement may read any view. */
    static boolean readsSchemas(SqlText statement) {
        return calls(statement, READING_SCHEMAS);
    }

    /** Returns the settings that the texts which functions of the engine execute may change. */
    static Set<String> settingsOfTexts(SqlText statement) {
        if (!calls(statement, RUNNING_TEXTS)) {
            return Set.of();
        }
        boolean shown = true;
        for (int i = 0; i < statement.tokens().size(); i++) {
            if (isOneOf(statement.tokens().get(i), RUNNING_TEXTS)) {
                boolean constant = i + 2 < statement.tokens().size()
                        && statement.tokens().get(i + 2).kind() == Token.Kind.STRING
                        && (statement.isSignAt(i + 3, ",") || statement.isSignAt(i + 3, ")"));
                shown &= statement.isSignAt(i + 1, "(") && constant;
            }
        }
        return shown ? StateInFunctions.settingsOf(statement.text()) : Set.of(Classification.ANY_SETTING);
    }

    /**
     * Returns the classification of a statement with a query or expressions that it evaluates, such as CREATE TABLE AS.
     * Its functions are those of any statement.
     */
    static Classification evaluating(SqlText statement, Classification of) {
        if (configuresOwn(statement)) {
            return refusedSetting();
        }
        if (DriverSettings.isConfigured(statement)) {
            return Classification.refused(DriverSettings.REASON);
        }
        return withNames(statement, of.with(Review.ALWAYS).withSettings(settingsOf(statement)));
    }

    private static Classification withNames(SqlText statement, Classification classification) {
        return changesPath(statement) ? classification.with(Classification.Trait.NAMES_TYPES) : classification;
    }

    private static Classification set(SqlText statement) {
        if (forbidden(statement)) {
            return refusedSetting();
        }
        if (DriverSettings.isSet(statement)) {
            return Classification.refused(DriverSettings.REASON);
        }
        Classification set = ofValue(statement);
        if (!isOfTransaction(statement)) {
            return set;
        }
        Classification modes = set.with(Classification.Trait.PRECEDES_QUERIES);
        return mayForbidChanges(statement) ? modes.with(Classification.Trait.FORBIDS_CHANGES) : modes;
    }

    /** Returns whether a statement that sets modes may make the open transaction read-only. */
    private static boolean mayForbidChanges(SqlText statement) {
        boolean ofThis = statement.has("ONLY") && !statement.has("CHARACTERISTICS");
        return ofThis || calls(statement, Set.of("TRANSACTION_READ_ONLY"));
    }

    private static Classification ofValue(SqlText statement) {
        boolean local = LOCAL_SETTINGS.contains(statement.word(1));
        if (local && !isSeed(statement, 2)) {
            String name = statement.isAt(2, "TRANSACTION") ? "TRANSACTION" : statement.word(1);
            Classification set = PostgresTransactionStatements.effectiveWithin("SET " + name);
            return name.equals("LOCAL") && !isOfTransaction(statement)
                    ? set.with(Classification.Trait.SETS_LOCALLY)
                    : set;
        }
        int first = local || statement.isAt(1, "SESSION") ? 2 : 1;
        String name = settingAt(statement, first);
        return Classification.sessionState(name.contains(".") ? name : unlisted(statement, first));
    }

    /** Returns the name of a setting, whose parts may be quoted, in lower case and without quotes. */
    private static String settingAt(SqlText statement, int first) {
        StringBuilder name = new StringBuilder(statement.word(first));
        int at = first;
        while (statement.isSignAt(at + 1, ".")) {
            at += 2;
            name.append('.').append(statement.word(at));
        }
        return name.toString().replace("\"", "").toLowerCase(Locale.ROOT);
    }

    /** Returns whether a SET seeds random(), which the end of the transaction does not undo. */
    private static boolean isSeed(SqlText statement, int name) {
        return settingAt(statement, name).equals("seed");
    }

    /** Returns whether a statement sets or shows modes of the open transaction. */
    private static boolean isOfTransaction(SqlText statement) {
        return statement.has("TRANSACTION") || calls(statement, TRANSACTION_SETTINGS);
    }

    /**
     * Returns {@link Classification#ANY_SETTING} for the seed, which the engine does not list, and for the default
     * characteristics of transactions. The driver changes these settings, too, so that their values do not show who has
     * changed them.
     */
    private static String unlisted(SqlText statement, int name) {
        boolean unlisted = isSeed(statement, name)
                || statement.has("CHARACTERISTICS")
                || calls(statement, Set.of("DEFAULT_TRANSACTION_ISOLATION", "DEFAULT_TRANSACTION_READ_ONLY"));
        return unlisted ? Classification.ANY_SETTING : "";
    }

    private static boolean isTemporary(SqlText statement) {
        for (int i = 1; i < 5; i++) {
            if (statement.isAt(i, "TEMP") || statement.isAt(i, "TEMPORARY")) {
                return true;
            }
        }
        return namesTemporarySchema(statement);
    }

    /** Returns whether a name begins with pg_temp, the schema of the session's temporary objects. */
    private static boolean namesTemporarySchema(SqlText statement) {
        return statement.tokens().stream()
                .filter(token -> token.kind() == Token.Kind.WORD || token.kind() == Token.Kind.QUOTED_NAME)
                .anyMatch(token ->
                        token.text().replace("\"", "").toLowerCase(Locale.ROOT).startsWith("pg_temp"));
    }

    private static boolean forbidden(SqlText statement) {
        return FORBIDDEN.matcher(statement.text()).find();
    }

    static Classification refusedSetting() {
        return Classification.refused("this setting belongs to Multimed: changes would no longer reach the satellites");
    }

    /** Returns whether one of these words is in the text, quoted or not. */
    private static boolean calls(SqlText statement, Set<String> functions) {
        return statement.tokens().stream().anyMatch(token -> isOneOf(token, functions));
    }

    private static boolean isOneOf(Token token, Set<String> functions) {
        return functions.contains(token.text())
                || (token.kind() == Token.Kind.QUOTED_NAME
                        && functions.contains(token.text().replace("\"", "").toUpperCase(Locale.ROOT)));
    }
}
