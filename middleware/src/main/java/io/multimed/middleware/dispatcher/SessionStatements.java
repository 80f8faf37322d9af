package io.multimed.middleware.dispatcher;

import io.multimed.middleware.dispatcher.SqlTokens.Token;
import io.multimed.middleware.dispatcher.Verdict.Kind;
import io.multimed.middleware.dispatcher.Verdict.Review;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Statements that leave something in the engine's session, take it away, or ask for it: SET, PREPARE, DECLARE, temporary tables, locks. */
final class SessionStatements {
    private static final Set<String> LOCAL_SETTINGS = Set.of("LOCAL", "TRANSACTION", "CONSTRAINTS");

    /** What capture depends on. */
    private static final Pattern FORBIDDEN =
            Pattern.compile("\\bmultimed\\.|session_replication_role|event_triggers", Pattern.CASE_INSENSITIVE);

    private static final Pattern SET_CONFIG =
            Pattern.compile("set_config\\s*\\(\\s*(?:'([^']*)')?", Pattern.CASE_INSENSITIVE);

    private static final Set<String> LOCKING = Set.of(
            "PG_ADVISORY_LOCK", "PG_ADVISORY_LOCK_SHARED", "PG_TRY_ADVISORY_LOCK", "PG_TRY_ADVISORY_LOCK_SHARED");

    private static final Set<String> UNLOCKING =
            Set.of("PG_ADVISORY_UNLOCK", "PG_ADVISORY_UNLOCK_SHARED", "PG_ADVISORY_UNLOCK_ALL");

    private static final Set<String> SEQUENCE_MEMORY = Set.of("CURRVAL", "LASTVAL");

    private SessionStatements() {}

    /** By the statement's first word; null if it is none of these. */
    static @Nullable Verdict of(String sql, List<Token> tokens) {
        return switch (SqlTokens.word(tokens, 0)) {
            case "SET" -> set(sql, tokens);
            case "RESET" -> forbidden(sql) ? refusedSetting() : Verdict.of(Kind.MASTER, Review.IF_PINNED);
            case "PREPARE" ->
                SqlTokens.word(tokens, 1).equals("TRANSACTION")
                        ? Verdict.refused("prepared transactions are not supported through Multimed")
                        : Verdict.sessionState("");
            case "DECLARE" -> has(tokens, "HOLD") ? Verdict.sessionState("") : Verdict.of(Kind.MASTER);
            case "EXECUTE", "FETCH", "MOVE" -> Verdict.of(Kind.SAME_SESSION, Review.ALWAYS);
            case "DEALLOCATE", "CLOSE", "UNLISTEN", "DROP" -> Verdict.of(Kind.MASTER, Review.IF_PINNED);
            case "DISCARD" ->
                SqlTokens.word(tokens, 1).equals("ALL")
                        ? Verdict.of(Kind.DISCARD_ALL)
                        : Verdict.of(Kind.MASTER, Review.IF_PINNED);
            case "LISTEN" ->
                Verdict.refused("LISTEN is not supported through Multimed: notifications do not reach its clients");
            case "LOAD" ->
                Verdict.refused("LOAD is not supported through Multimed: load libraries by the engine's configuration");
            case "DO", "CALL" -> Verdict.of(Kind.MASTER, Review.ALWAYS);
            case "CREATE" -> isTemporary(tokens) ? Verdict.sessionState("") : null;
            default -> null;
        };
    }

    /** A query with functions or an INTO that concern the session; null if it is none of these. */
    static @Nullable Verdict ofQuery(String sql, List<Token> tokens) {
        if (has(tokens, "INTO") && (has(tokens, "TEMP") || has(tokens, "TEMPORARY"))) {
            return Verdict.sessionState("");
        }
        return ofFunctions(sql, tokens, Kind.EFFECT);
    }

    /** A change of rows with functions that concern the session; null if it has none. */
    static @Nullable Verdict ofChange(String sql, List<Token> tokens) {
        return ofFunctions(sql, tokens, Kind.MASTER);
    }

    private static @Nullable Verdict ofFunctions(String sql, List<Token> tokens, Kind unlocking) {
        if (hasAny(tokens, Set.of("SET_CONFIG"))) {
            return forbidden(sql) ? refusedSetting() : Verdict.sessionState(configured(sql));
        }
        if (hasAny(tokens, LOCKING)) {
            return Verdict.sessionState("");
        }
        if (hasAny(tokens, UNLOCKING)) {
            return Verdict.of(unlocking, Review.IF_PINNED);
        }
        return hasAny(tokens, SEQUENCE_MEMORY) ? Verdict.of(Kind.SAME_SESSION) : null;
    }

    private static Verdict set(String sql, List<Token> tokens) {
        if (forbidden(sql)) {
            return refusedSetting();
        }
        if (LOCAL_SETTINGS.contains(SqlTokens.word(tokens, 1))) {
            return Verdict.of(Kind.MASTER);
        }
        int name = SqlTokens.word(tokens, 1).equals("SESSION") ? 2 : 1;
        boolean ownSetting = SqlTokens.word(tokens, name + 1).equals(".");
        return Verdict.sessionState(
                ownSetting
                        ? (SqlTokens.word(tokens, name) + "." + SqlTokens.word(tokens, name + 2))
                                .replace("\"", "")
                                .toLowerCase(Locale.ROOT)
                        : characteristics(tokens));
    }

    /** These the driver changes, too, so that they cannot be told from its own. */
    private static String characteristics(List<Token> tokens) {
        boolean ofTransactions = has(tokens, "CHARACTERISTICS")
                || hasAny(tokens, Set.of("DEFAULT_TRANSACTION_ISOLATION", "DEFAULT_TRANSACTION_READ_ONLY"));
        return ofTransactions ? Verdict.ANY_SETTING : "";
    }

    /** The setting that the engine does not list and that set_config names; any, where the name is not in the text. */
    private static String configured(String sql) {
        Matcher call = SET_CONFIG.matcher(sql);
        String found = "";
        while (call.find()) {
            String name = call.group(1);
            boolean unclear = name == null || (name.contains(".") && !found.isEmpty() && !found.equals(name));
            if (unclear) {
                return Verdict.ANY_SETTING;
            }
            found = name.contains(".") ? name : found;
        }
        return found.toLowerCase(Locale.ROOT);
    }

    private static boolean isTemporary(List<Token> tokens) {
        for (int i = 1; i < Math.min(5, tokens.size()); i++) {
            if (tokens.get(i).is("TEMP") || tokens.get(i).is("TEMPORARY")) {
                return true;
            }
        }
        return false;
    }

    private static boolean forbidden(String sql) {
        return FORBIDDEN.matcher(sql).find();
    }

    private static Verdict refusedSetting() {
        return Verdict.refused("this setting belongs to Multimed: changes would no longer reach the satellites");
    }

    private static boolean has(List<Token> tokens, String word) {
        return tokens.stream().anyMatch(token -> token.is(word));
    }

    private static boolean hasAny(List<Token> tokens, Set<String> words) {
        return tokens.stream()
                .anyMatch(token -> words.contains(token.text())
                        || (token.kind() == SqlTokens.Kind.QUOTED_NAME
                                && words.contains(token.text().replace("\"", "").toUpperCase(Locale.ROOT))));
    }
}
