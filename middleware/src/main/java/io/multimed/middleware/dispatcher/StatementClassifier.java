package io.multimed.middleware.dispatcher;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.multimed.middleware.dispatcher.SqlTokens.Token;
import io.multimed.middleware.dispatcher.Verdict.Kind;
import io.multimed.middleware.node.engine.SqlDialect;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells from a statement's text how it is to be run (design 4.1). Verdicts are kept by text, within a bounded number of characters. Thread-safe.
 */
public final class StatementClassifier {
    private static final long CACHED_CHARACTERS = 16 << 20;

    private static final Set<String> SESSION_WORDS = Set.of(
            "SET",
            "RESET",
            "LISTEN",
            "UNLISTEN",
            "NOTIFY",
            "PREPARE",
            "DEALLOCATE",
            "EXECUTE",
            "DECLARE",
            "FETCH",
            "MOVE",
            "CLOSE",
            "DISCARD",
            "LOAD");

    private static final Set<String> LOCAL_SETTINGS = Set.of("LOCAL", "TRANSACTION", "CONSTRAINTS");

    /** Settings that capture depends on. */
    private static final Set<String> FORBIDDEN_SETTINGS = Set.of("MULTIMED", "SESSION_REPLICATION_ROLE");

    /** Functions that leave something in the engine's session. */
    private static final Set<String> SESSION_FUNCTIONS = Set.of(
            "PG_ADVISORY_LOCK",
            "PG_ADVISORY_LOCK_SHARED",
            "PG_TRY_ADVISORY_LOCK",
            "PG_TRY_ADVISORY_LOCK_SHARED",
            "SET_CONFIG",
            "CURRVAL",
            "LASTVAL");

    private final Cache<String, Verdict> verdicts = Caffeine.newBuilder()
            .maximumWeight(CACHED_CHARACTERS)
            .weigher((String sql, Verdict verdict) -> sql.length() + 100)
            .build();
    private final PureReadProof proof;

    public StatementClassifier(SqlDialect dialect, Set<String> pureFunctions) {
        this.proof = new PureReadProof(dialect, pureFunctions);
    }

    /** The verdict if it is known already; costs no parsing. */
    @Nullable
    Verdict known(String sql) {
        return verdicts.getIfPresent(sql);
    }

    /** The verdict; may take milliseconds the first time, so not on an I/O thread. */
    Verdict classify(String sql) {
        return verdicts.get(sql, this::judge);
    }

    private Verdict judge(String sql) {
        List<Token> tokens = SqlTokens.of(sql);
        int semicolon = firstSemicolon(tokens);
        if (semicolon >= 0 && semicolon < tokens.size() - 1) {
            return severalStatements(tokens);
        }
        String first = word(tokens, 0);
        String second = word(tokens, 1);
        return switch (first) {
            case "SELECT", "WITH", "VALUES", "TABLE", "(" -> query(sql, tokens);
            case "BEGIN", "START" -> Verdict.of(Kind.BEGIN);
            case "COMMIT", "END" -> transactionEnd(Kind.COMMIT, second);
            case "ROLLBACK", "ABORT" ->
                second.equals("TO") ? Verdict.of(Kind.MASTER) : transactionEnd(Kind.ROLLBACK, second);
            case "ANALYZE" -> Verdict.of(Kind.EVERYWHERE);
            case "COPY" -> Verdict.refused("COPY is not supported through Multimed: use batches of INSERT");
            case "SHOW" -> second.equals("MULTIMED") ? Verdict.of(Kind.SHOW_STATUS) : Verdict.of(Kind.MASTER);
            case "CREATE" -> creation(tokens);
            case "ALTER", "VERIFY" -> second.equals("MULTIMED") ? Verdict.of(Kind.ADMINISTER) : Verdict.of(Kind.MASTER);
            default -> SESSION_WORDS.contains(first) ? sessionState(tokens) : Verdict.of(Kind.MASTER);
        };
    }

    private Verdict query(String sql, List<Token> tokens) {
        if (tokens.stream().anyMatch(token -> SESSION_FUNCTIONS.contains(token.text()))) {
            return Verdict.of(Kind.SESSION_STATE);
        }
        if (tokens.stream().anyMatch(token -> token.is("INTO"))
                && tokens.stream().anyMatch(token -> token.is("TEMP") || token.is("TEMPORARY"))) {
            return Verdict.of(Kind.SESSION_STATE);
        }
        return proof.of(sql, tokens);
    }

    private static Verdict transactionEnd(Kind kind, String second) {
        return second.equals("PREPARED")
                ? Verdict.refused("prepared transactions are not supported through Multimed")
                : Verdict.of(kind);
    }

    private static Verdict creation(List<Token> tokens) {
        String second = word(tokens, 1);
        boolean temporary = second.equals("TEMP")
                || second.equals("TEMPORARY")
                || ((second.equals("LOCAL") || second.equals("GLOBAL"))
                        && word(tokens, 2).startsWith("TEMP"));
        return Verdict.of(temporary ? Kind.SESSION_STATE : Kind.MASTER);
    }

    private static Verdict sessionState(List<Token> tokens) {
        String first = word(tokens, 0);
        String second = word(tokens, 1);
        if (first.equals("PREPARE") && second.equals("TRANSACTION")) {
            return Verdict.refused("prepared transactions are not supported through Multimed");
        }
        if (tokens.stream().anyMatch(token -> FORBIDDEN_SETTINGS.contains(token.text()))) {
            return Verdict.refused("this setting belongs to Multimed: changes would no longer reach the satellites");
        }
        if (first.equals("SET") && LOCAL_SETTINGS.contains(second)) {
            return Verdict.of(Kind.MASTER);
        }
        return Verdict.of(Kind.SESSION_STATE);
    }

    /** Several statements in one text run on the master, in one transaction, as long as none of them ends it. */
    private static Verdict severalStatements(List<Token> tokens) {
        boolean begins = true;
        for (Token token : tokens) {
            if (begins
                    && (token.is("BEGIN")
                            || token.is("START")
                            || token.is("COMMIT")
                            || token.is("END")
                            || token.is("ROLLBACK")
                            || token.is("ABORT")
                            || SESSION_WORDS.contains(token.text())
                            || token.is("COPY"))) {
                return Verdict.refused(
                        token.text()
                                + " among several statements in one text is not supported through Multimed: send it as a statement of its own");
            }
            begins = token.text().equals(";");
        }
        return Verdict.of(Kind.MASTER);
    }

    private static int firstSemicolon(List<Token> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).text().equals(";")) {
                return i;
            }
        }
        return -1;
    }

    private static String word(List<Token> tokens, int index) {
        return index < tokens.size() ? tokens.get(index).text() : "";
    }
}
