// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.HiddenState;
import io.multimed.engine.sql.HiddenState.Definition;
import io.multimed.engine.sql.HiddenState.Use;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Recognizes functions whose bodies may leave state in the session, and the statements that run them. */
public final class StateInFunctions {
    /** Finds words of statements and functions that create state, some of which occur for other reasons, too. */
    public static final String WORDS =
            "set_config|pg_(try_)?advisory_lock|setseed|isn_weak|dblink|replication_|pg_backup_|pg_start_backup|execute|spi_|_to_xml|ts_stat|ts_rewrite|crosstab|connectby|xpath_table|pg_settings|"
                    + "temp|prepare|listen|hold|u&\"|(^|[;''$]|begin|then|else|loop|as)\\s*set\\s";

    /** Functions that leave state which the engine lists nowhere. */
    public static final Set<String> UNLISTED = Set.of(
            "setseed",
            "isn_weak",
            "dblink_connect",
            "dblink_connect_u",
            "dblink_open",
            "pg_backup_start",
            "pg_copy_logical_replication_slot",
            "pg_copy_physical_replication_slot",
            "pg_create_logical_replication_slot",
            "pg_create_physical_replication_slot",
            "pg_replication_origin_session_setup",
            "pg_start_backup");

    /** A function of an extension that changes a setting, which the engine lists. */
    private static final String LISTED = "set_limit";

    /**
     * Extensions that are distributed with the engine, whose volatile functions leave no state in the session, except
     * for those that {@link #OF_EXTENSIONS} lists.
     */
    public static final Set<String> STATELESS_EXTENSIONS = Set.of(
            "amcheck",
            "autoinc",
            "dblink",
            "insert_username",
            "moddatetime",
            "pageinspect",
            "pg_buffercache",
            "pg_freespacemap",
            "pg_prewarm",
            "pg_stat_statements",
            "pg_visibility",
            "pg_walinspect",
            "pgrowlocks",
            "pgstattuple",
            "plpgsql",
            "postgres_fdw",
            "refint",
            "tablefunc",
            "tcn",
            "unaccent");

    /** Functions of extensions that leave state. */
    public static final Set<String> OF_EXTENSIONS =
            Set.of("isn_weak", "dblink_connect", "dblink_connect_u", "dblink_open", LISTED);

    /** The name of what all definitions of objects run: the functions of event triggers. */
    public static final String DEFINITIONS = "<definitions>";

    /** Precedes the names of operators, which are no names of statements. */
    private static final String OPERATOR = "<operator> ";

    private static final Pattern STATE = Pattern.compile(
            "\\bpg_(?:try_)?advisory_lock(?:_shared)?\\b|\\btemp(?:orary)?\\b|\\bpg_temp\\b|\\bprepare\\b|\\blisten\\b|\\bhold\\b|"
                    + "(?:^|[;'$]|\\b(?:begin|then|else|loop|as)\\b)\\s*set\\s+(?!local\\b|constraints\\b|transaction\\b)",
            Pattern.CASE_INSENSITIVE);

    /** Such functions, an UPDATE of settings, which may be any, and names with escapes, which are not known. */
    private static final Pattern UNKNOWN = Pattern.compile(
            "\\b(?:%s)\\b|\\bupdate\\s+(?:only\\s+)?(?:\"?pg_catalog\"?\\s*\\.\\s*)?\"?pg_settings\\b|\\bu&\""
                    .formatted(String.join("|", UNLISTED)),
            Pattern.CASE_INSENSITIVE);

    private static final Pattern NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_$]*");

    private static final Pattern QUOTED = Pattern.compile("\"(?:[^\"]|\"\")++\"");

    /** Number of bytes of the longest name; the engine cuts the rest off. */
    private static final int MAX_NAME_BYTES = 63;

    private StateInFunctions() {}

    private static String unquoted(String name) {
        return name.substring(1, Math.max(1, name.length() - 1)).replace("\"\"", "\"");
    }

    public static Definition function(String name, String body) {
        Set<String> settings = settingsOf(body);
        boolean leaves = !settings.isEmpty()
                || ExecutedTexts.readings(body).stream()
                        .anyMatch(text -> SettingCalls.isForSession(text)
                                || STATE.matcher(text).find());
        return new Definition(normal(name), Use.ANY, namesIn(body), leaves, settings);
    }

    /** Returns the settings that a body may change, as in {@link Classification#settings}. */
    static Set<String> settingsOf(String body) {
        Set<String> settings = new HashSet<>();
        for (String text : ExecutedTexts.readings(body)) {
            settings.addAll(SettingCalls.inBody(text));
            if (UNKNOWN.matcher(text).find() || ExecutedTexts.mayBeAny(text)) {
                settings.add(Classification.ANY_SETTING);
            }
        }
        return settings;
    }

    /** Returns the definition of an object that calls a function, or uses another object, of this name. */
    public static Definition caller(String name, Use use, String function) {
        return new Definition(normal(name), use, Set.of(normal(function)), false, Set.of());
    }

    /** Returns the definition of an operator, by its function. */
    public static Definition operator(String name, String function) {
        return caller(operatorName(name), Use.ANY, function);
    }

    /** Returns the name of an operator in definitions. */
    static String operatorName(String name) {
        return OPERATOR + name;
    }

    /** Returns a name without quotes, also those inside of it, in lower case, and not longer than names can be. */
    static String normal(String name) {
        byte[] whole = name.getBytes(StandardCharsets.UTF_8);
        String cut =
                whole.length > MAX_NAME_BYTES ? new String(whole, 0, MAX_NAME_BYTES, StandardCharsets.UTF_8) : name;
        return cut.replace("\uFFFD", "").replace("\"", "").toLowerCase(Locale.ROOT);
    }

    /** Returns the definition of a function whose text is not known. */
    public static Definition unexamined(String name) {
        Set<String> settings = name.equals(LISTED) ? Set.of() : Set.of(Classification.ANY_SETTING);
        return new Definition(normal(name), Use.ANY, Set.of(), true, settings);
    }

    /** Returns the definition of a function of the engine that creates state. */
    public static Definition ofEngine(String name) {
        Set<String> settings = name.contains("advisory") ? Set.of() : Set.of(Classification.ANY_SETTING);
        return new Definition(name, Use.ANY, Set.of(), true, settings);
    }

    static Set<String> namesIn(String text) {
        Set<String> names = new HashSet<>();
        Matcher name = NAME.matcher(text);
        while (name.find()) {
            names.add(normal(name.group()));
        }
        Matcher quoted = QUOTED.matcher(text);
        while (quoted.find()) {
            names.add(normal(unquoted(quoted.group())));
        }
        return names;
    }

    /** Returns the classification of a statement that may run such functions. */
    static Classification examined(Classification classification, SqlText statement, HiddenState hidden) {
        if (hidden.isEmpty()) {
            return classification;
        }
        Set<String> names = operatorsIn(statement, hidden);
        names.add("");
        if (defines(statement)) {
            names.add(DEFINITIONS);
        }
        boolean runsTexts = PostgresSessionStatements.runsTexts(statement);
        if (PostgresSessionStatements.readsSchemas(statement)) {
            names.addAll(hidden.used().keySet());
            names.addAll(hidden.ofMaster());
        }
        for (int i = 0; i < statement.tokens().size(); i++) {
            Token token = statement.tokens().get(i);
            if (Token.isEscapedName(statement.tokens(), i)) {
                names.addAll(hidden.used().keySet());
                names.addAll(hidden.changed().keySet());
                names.addAll(hidden.ofMaster());
            }
            switch (token.kind()) {
                case WORD -> names.add(normal(token.text()));
                case QUOTED_NAME -> names.add(normal(unquoted(token.text())));
                case STRING -> {
                    if (runsTexts) {
                        names.addAll(namesIn(statement.text(token)));
                    }
                }
                case SIGN -> {}
            }
        }
        return hidden.examined(classification, names);
    }

    /**
     * Returns the operators whose names are in signs that follow each other without a space. How the engine divides the
     * signs need not be known.
     */
    private static Set<String> operatorsIn(SqlText statement, HiddenState hidden) {
        Set<String> found = new HashSet<>();
        String signs = null;
        Set<String> operators = new HashSet<>(hidden.used().keySet());
        operators.addAll(hidden.ofMaster());
        for (String name : operators) {
            if (name.startsWith(OPERATOR)) {
                signs = signs == null ? signsOf(statement) : signs;
                if (signs.contains(name.substring(OPERATOR.length()))) {
                    found.add(name);
                }
            }
        }
        return found;
    }

    private static String signsOf(SqlText statement) {
        StringBuilder signs = new StringBuilder();
        int end = -1;
        for (Token token : statement.tokens()) {
            if (token.kind() == Token.Kind.SIGN) {
                signs.append(token.begin() == end ? "" : " ").append(token.text());
                end = token.end();
            }
        }
        return signs.toString();
    }

    /** Returns whether event triggers may run. */
    private static boolean defines(SqlText statement) {
        boolean selectsInto =
                statement.has("INTO") && !Set.of("INSERT", "MERGE").contains(statement.word(0));
        return selectsInto
                || (!statement.hasAny(Set.of("EXPLAIN"))
                        && !Set.of(
                                        "SELECT", "WITH", "VALUES", "TABLE", "(", "INSERT", "UPDATE", "DELETE", "MERGE",
                                        "SET", "SHOW")
                                .contains(statement.word(0)));
    }

    /** Returns whether statements of this kind may run functions of users. */
    static boolean mayRun(Classification classification) {
        return switch (classification.kind()) {
            case PURE_READ, QUERY, CATALOG, EFFECT, MASTER, SESSION_STATE, SAME_SESSION -> true;
            default -> false;
        };
    }
}
