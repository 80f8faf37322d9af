// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.sql.ReadRules;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Defines what a pure read may contain on MariaDB and MySQL (architecture 4.1). These engines have no catalog of their
 * own functions, and do not check what users declare about theirs. The functions that are known to be pure are
 * therefore listed here, and users' functions never count as pure.
 */
public final class MySqlReadRules implements ReadRules {
    /**
     * Words and signs that no pure read contains. INSERT is also a pure function, which is excluded for simplicity.
     * The at sign refers to variables of the session.
     */
    private static final Set<String> IMPURE_WORDS = Set.of(
            "INSERT",
            "UPDATE",
            "DELETE",
            "INTO",
            "SHARE",
            "LOCK",
            "CALL",
            "PROCEDURE",
            "NEXT",
            "PREVIOUS",
            "SYSTEM_TIME",
            "SQL_CALC_FOUND_ROWS",
            "@",
            MySqlTokens.EXECUTABLE,
            MySqlTokens.PERHAPS);

    /** Words without parentheses that depend on the connected user. */
    private static final Set<String> SESSION_WORDS = Set.of("CURRENT_USER", "CURRENT_ROLE");

    /** Columns of system-versioned tables, which contain the time at which this engine wrote a row. */
    private static final Set<String> SYSTEM_COLUMNS = Set.of("ROW_START", "ROW_END", "_ROWID");

    /** Words that both engines reserve, and that may precede a parenthesis: without quotes, they call no function. */
    private static final Set<String> RESERVED_WORDS = words("""
            ALL AND AS BETWEEN BINARY BY CASE CHAR CHARACTER COLLATE CROSS DECIMAL DISTINCT DISTINCTROW DIV ELSE EXCEPT EXISTS FLOAT FOR FORCE FROM
            GROUP HAVING IGNORE IN INDEX INNER INTERSECT INTERVAL IS JOIN KEY LEFT LIKE LIMIT MOD NATURAL NOT ON OR ORDER OUTER OVER PARTITION REGEXP
            RIGHT RLIKE SELECT STRAIGHT_JOIN THEN UNION USE USING VALUES VARCHAR WHEN WHERE WITH XOR
            """);

    /** Other words that may precede a parenthesis without being functions. A user's function may have such a name. */
    private static final Set<String> OTHER_WORDS =
            words("ANY COLUMNS CUBE EXTRACT GROUPING LATERAL OF ROW SOME WINDOW");

    private static final Set<String> LANGUAGE_WORDS = union(RESERVED_WORDS, OTHER_WORDS);

    /**
     * Functions that both engines know only with the parenthesis directly behind the name, unless IGNORE_SPACE is set.
     * With a blank or a comment between them, the name is that of a user's function.
     */
    private static final Set<String> DIRECT_FUNCTIONS = words("""
            ADDDATE BIT_AND BIT_OR BIT_XOR CAST COUNT CURDATE CURTIME DATE_ADD DATE_SUB EXTRACT GROUP_CONCAT MAX MID MIN NOW POSITION STD STDDEV
            STDDEV_POP STDDEV_SAMP SUBDATE SUBSTR SUBSTRING SUM TRIM VARIANCE VAR_POP VAR_SAMP
            """);

    /** Functions that change nothing, but whose result differs between calls or nodes. */
    private static final Set<String> HARMLESS = Set.of(
            "rand",
            "uuid",
            "uuid_short",
            "sys_guid",
            "sysdate",
            "sleep",
            "benchmark",
            "random_bytes",
            "match",
            "against");

    private static final Words WORDS = new Words(IMPURE_WORDS, SESSION_WORDS, SYSTEM_COLUMNS, LANGUAGE_WORDS, HARMLESS);

    /** The type TIME is among them: where a date is needed, the engine adds the current one. */
    private static final Set<String> TIME_WORDS = Set.of(
            "TIME",
            "CURRENT_DATE",
            "CURRENT_TIME",
            "CURRENT_TIMESTAMP",
            "LOCALTIME",
            "LOCALTIMESTAMP",
            "UTC_DATE",
            "UTC_TIME",
            "UTC_TIMESTAMP",
            "SYSDATE");

    /** Functions whose result depends on the current time only if they lack arguments are missing here. */
    private static final Set<String> TIME_INDEPENDENT_FUNCTIONS = words("""
            abs acos ascii asin atan atan2 avg bit_and bit_count bit_length bit_or bit_xor cast ceil ceiling char_length character_length coalesce concat
            concat_ws cos cot count crc32 cume_dist date_format datediff day dayofmonth dayofweek dayofyear degrees dense_rank elt exp extract field
            find_in_set first_value floor format greatest group_concat hex hour if ifnull instr isnull lag last_value lcase lead least left length ln locate
            log log10 log2 lower lpad ltrim max md5 mid min minute mod month ntile nth_value nullif octet_length percent_rank pi position pow power quarter
            radians rank repeat replace reverse right round row_number rpad rtrim second sha1 sha2 sign sin space sqrt std stddev stddev_pop stddev_samp strcmp
            substr substring substring_index sum tan to_days trim truncate ucase unhex upper var_pop var_samp variance week weekday year
            """);

    private static final Set<String> TIME_INDEPENDENT_TYPES =
            words("BINARY CHAR DATE DATETIME DECIMAL DOUBLE FLOAT INTEGER JSON NCHAR REAL SIGNED UNSIGNED");

    /** A string such as 'now' has no special meaning. */
    private static final Times TIMES = new Times(TIME_WORDS, TIME_INDEPENDENT_FUNCTIONS, TIME_INDEPENDENT_TYPES, false);

    /**
     * Functions that change nothing and report facts about the server or the session, or about what a copy does not
     * have, such as the types of dates in JSON documents of MySQL; the master answers them.
     */
    private static final Set<String> ASK_THE_ENGINE = words("""
            user session_user system_user current_user current_role database schema version connection_id icu_version format_bytes format_pico_time
            ps_current_thread_id ps_thread_id charset collation is_free_lock is_used_lock json_type
            """);

    /** Functions that some versions of the engines lack. */
    private static final Set<String> REMOVED_FUNCTIONS = Set.of("md5", "sha1");

    /** Those of the functions that report facts that both engines have. */
    private static final Set<String> OF_BOTH_ENGINES = words("""
            user session_user system_user current_user database schema version connection_id charset collation is_free_lock is_used_lock
            """);

    /**
     * Functions that return the same result on every node for all arguments. The clock counts, because all nodes use
     * one.
     */
    public static final Set<String> PURE_FUNCTIONS = words("""
            abs acos adddate addtime aes_decrypt aes_encrypt any_value ascii asin atan atan2 avg bin bin_to_uuid bit_and bit_count bit_length bit_or
            bit_xor cast ceil ceiling char char_length character_length chr coalesce coercibility compress concat concat_ws conv convert convert_tz cos cot count
            crc32 cume_dist curdate current_date current_time current_timestamp curtime date date_add date_format date_sub datediff day dayname
            dayofmonth dayofweek dayofyear degrees dense_rank elt exp export_set extractvalue field find_in_set first_value floor format from_base64
            from_days from_unixtime geometrycollection get_format greatest group_concat grouping hex hour if ifnull inet6_aton inet6_ntoa inet_aton
            inet_ntoa insert instr interval is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 is_uuid isnull json_array json_array_append json_array_insert
            json_arrayagg json_compact json_contains json_contains_path json_depth json_detailed json_equals json_exists json_extract json_insert
            json_keys json_length json_loose json_merge json_merge_patch json_merge_preserve json_normalize json_object json_objectagg json_overlaps
            json_pretty json_query json_quote json_remove json_replace json_schema_valid json_search json_set json_table json_unquote
            json_valid json_value lag last_day last_value lcase lead least left length linestring ln localtime localtimestamp locate log log10 log2
            lower lpad ltrim make_set makedate maketime max mbrcontains mbrequals mbrintersects mbrwithin md5 median microsecond mid min minute mod
            month monthname multilinestring multipoint multipolygon natural_sort_key now nth_value ntile nullif nvl nvl2 oct octet_length ord
            percent_rank percentile_cont percentile_disc period_add period_diff pi point polygon position pow power quarter quote radians rank
            regexp_instr regexp_like regexp_replace regexp_substr repeat replace reverse right round row_number rpad rtrim sec_to_time second sha sha1
            sha2 sign sin soundex space sqrt st_area st_asbinary st_asgeojson st_astext st_aswkb st_aswkt st_buffer st_centroid st_contains
            st_convexhull st_crosses st_difference st_dimension st_disjoint st_distance st_distance_sphere st_endpoint st_envelope st_equals
            st_exteriorring st_geomcollfromtext st_geometryfromtext st_geometryn st_geometrytype st_geomfromgeojson st_geomfromtext st_geomfromwkb
            st_intersection st_intersects st_isclosed st_isempty st_issimple st_isvalid st_length st_linefromtext st_linestringfromtext st_numgeometries
            st_numpoints st_overlaps st_pointfromtext st_pointn st_polyfromtext st_polygonfromtext st_srid st_startpoint st_symdifference st_touches
            st_union st_within st_x st_y std stddev stddev_pop stddev_samp str_to_date strcmp subdate substr substring substring_index subtime sum tan
            time time_format time_to_sec timediff timestamp timestampadd timestampdiff to_base64 to_char to_days to_seconds trim truncate ucase
            uncompress uncompressed_length unhex unix_timestamp updatexml upper utc_date utc_time utc_timestamp uuid_to_bin var_pop var_samp variance
            week weekday weekofyear weight_string year yearweek
            """);

    /** Schema facts that hold without a request to the server, under the assumption that users' functions exist. */
    public static final SchemaFacts FIXED_FACTS = new SchemaFacts(PURE_FUNCTIONS, Set.of(), true, false);

    /** The schemas of the engine's catalog, and Multimed's own, in lower case. */
    private static final Set<String> CATALOGS =
            Set.of("information_schema", "performance_schema", "mysql", "sys", "multimed");

    private static Set<String> words(String blankSeparated) {
        return Set.of(blankSeparated.trim().split("\\s+"));
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        return Stream.concat(some.stream(), others.stream()).collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public Words words() {
        return WORDS;
    }

    @Override
    public boolean leavesNothing(String function) {
        return HARMLESS.contains(function) || ASK_THE_ENGINE.contains(function);
    }

    @Override
    public boolean asksTheEngine(String function) {
        return ASK_THE_ENGINE.contains(function);
    }

    @Override
    public Times times() {
        return TIMES;
    }

    /** Returns false: few of the engine's own functions may be quoted; usually such a name is that of a user's. */
    @Override
    public boolean knowsQuotedFunctions() {
        return false;
    }

    @Override
    public boolean isBuiltIn(Token word, Token parenthesis) {
        return RESERVED_WORDS.contains(word.text())
                || (DIRECT_FUNCTIONS.contains(word.text()) && word.end() == parenthesis.begin());
    }

    /**
     * Returns those names of users' functions, in lower case, that are also names of the engines' own functions or
     * words. Whether an engine has such a function itself depends on its version.
     */
    public static Set<String> sharedNames(Collection<String> users) {
        Set<String> shared = new HashSet<>();
        for (String name : users) {
            if (PURE_FUNCTIONS.contains(name)
                    || HARMLESS.contains(name)
                    || ASK_THE_ENGINE.contains(name)
                    || LANGUAGE_WORDS.contains(Token.upperCase(name))) {
                shared.add(name);
            }
        }
        return Set.copyOf(shared);
    }

    /** Returns false: a function with a schema is a user's function, whatever its name is. */
    @Override
    public boolean knowsQualifiedFunctions() {
        return false;
    }

    /** Recognizes a schema of the engine's catalog in front of a dot: the name alone may be that of a column. */
    @Override
    public boolean namesCatalog(List<Token> tokens) {
        for (int i = 0; i + 1 < tokens.size(); i++) {
            if (tokens.get(i + 1).isSign(".") && isCatalog(tokens.get(i))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean isCatalog(String table) {
        return table.contains(".") && CATALOGS.contains(table.substring(0, table.indexOf('.')));
    }

    private static boolean isCatalog(Token token) {
        return switch (token.kind()) {
            case WORD -> CATALOGS.contains(Token.lowerCase(token.text()));
            case QUOTED_NAME -> CATALOGS.contains(Token.lowerCase(withoutQuotes(token.text())));
            case SIGN, STRING -> false;
        };
    }

    @Override
    public String unquoted(String name) {
        return withoutQuotes(name);
    }

    /**
     * Returns whether a token before a parenthesis is known to change nothing, whatever functions users have created:
     * both engines have a function with this name, or reserve the word.
     */
    static boolean changesNothing(Token word, Token parenthesis) {
        String name = Token.lowerCase(word.text());
        boolean direct = word.end() == parenthesis.begin() && !REMOVED_FUNCTIONS.contains(name);
        return word.kind() == Token.Kind.SIGN
                || RESERVED_WORDS.contains(word.text())
                || (direct && (TIME_INDEPENDENT_FUNCTIONS.contains(name) || OF_BOTH_ENGINES.contains(name)));
    }

    /** Returns a name without its quotes; doubled quotes in it become single. */
    public static String withoutQuotes(String name) {
        String quote = name.substring(0, 1);
        return name.substring(1, Math.max(1, name.length() - 1)).replace(quote + quote, quote);
    }

    /**
     * Returns the statement without comments and without the contents of strings, because the parser knows neither the
     * comments nor the escapes of these engines.
     */
    @Override
    public String parsable(SqlText statement) {
        StringBuilder text = new StringBuilder();
        int end = 0;
        for (Token token : statement.tokens()) {
            if (token.begin() > end) {
                text.append(' ');
            }
            text.append(token.kind() == Token.Kind.STRING ? "''" : statement.text(token));
            end = token.end();
        }
        return text.toString();
    }
}
