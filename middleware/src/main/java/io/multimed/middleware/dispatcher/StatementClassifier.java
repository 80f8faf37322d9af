package io.multimed.middleware.dispatcher;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.multimed.middleware.dispatcher.SqlTokens.Token;
import io.multimed.middleware.dispatcher.Verdict.Kind;
import io.multimed.middleware.dispatcher.Verdict.Review;
import io.multimed.middleware.node.engine.SqlDialect;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells from a statement's text how it is to be run (design 4.1). Verdicts are kept by text, within a bounded number of characters, until the schema changes:
 * what was a pure read may call another function now. Thread-safe.
 */
public final class StatementClassifier {
    private static final Logger LOG = LoggerFactory.getLogger(StatementClassifier.class);
    private static final long CACHED_CHARACTERS = 16 << 20;

    /** Words after which a statement with CONCURRENTLY in it cannot be in a transaction. */
    private static final Set<String> MAYBE_CONCURRENT = Set.of("CREATE", "DROP", "REINDEX", "ALTER");

    private final SqlDialect dialect;
    private final FunctionSource functions;

    /** Replaced as a whole when the schema changes. */
    private volatile Judgements judgements = new Judgements();

    /** Where the names of the master's pure functions come from; may take milliseconds. */
    @FunctionalInterface
    public interface FunctionSource {
        Set<String> read() throws SQLException;
    }

    public StatementClassifier(SqlDialect dialect, FunctionSource functions) {
        this.dialect = dialect;
        this.functions = functions;
    }

    /** The verdict if it is known already; costs no parsing. */
    @Nullable
    Verdict known(String sql) {
        return judgements.verdicts.getIfPresent(sql);
    }

    /** The verdict; may take milliseconds the first time, so not on an I/O thread. */
    Verdict classify(String sql) {
        Judgements current = judgements;
        return current.verdicts.get(sql, text -> judge(text, current));
    }

    /** What is known of functions and statements does not count any more. */
    void schemaChanged() {
        judgements = new Judgements();
    }

    /** Verdicts under one form of the schema. */
    private final class Judgements {
        private final Cache<String, Verdict> verdicts = Caffeine.newBuilder()
                .maximumWeight(CACHED_CHARACTERS)
                .weigher((String sql, Verdict verdict) -> sql.length() + 100)
                .build();

        /** Read at the first query; null until then, or if it could not be read. */
        private volatile @Nullable PureReadProof proof;

        PureReadProof proof() {
            PureReadProof known = proof;
            if (known == null) {
                try {
                    known = new PureReadProof(dialect, functions.read());
                    proof = known;
                } catch (SQLException e) {
                    LOG.debug("the master's functions cannot be read: none counts as pure", e);
                    known = new PureReadProof(dialect, Set.of());
                }
            }
            return known;
        }
    }

    private Verdict judge(String sql, Judgements current) {
        List<Token> tokens = SqlTokens.of(sql);
        int semicolon = SqlTokens.firstSemicolon(tokens);
        if (semicolon >= 0 && semicolon < tokens.size() - 1) {
            return severalStatements(sql, tokens, current);
        }
        return single(sql, tokens, current);
    }

    private Verdict single(String sql, List<Token> tokens, Judgements current) {
        Verdict ofSession = SessionStatements.of(sql, tokens);
        String second = SqlTokens.word(tokens, 1);
        if (isUntransacted(tokens)) {
            return Verdict.of(Kind.UNTRANSACTED);
        }
        if (ofSession != null && !SqlTokens.word(tokens, 0).equals("DROP")) {
            return ofSession;
        }
        return switch (SqlTokens.word(tokens, 0)) {
            case "SELECT", "WITH", "VALUES", "TABLE", "(" -> query(sql, tokens, current);
            case "BEGIN", "START" -> Verdict.of(Kind.BEGIN);
            case "COMMIT", "END" -> transactionEnd(Kind.COMMIT, second);
            case "ROLLBACK", "ABORT" ->
                second.equals("TO") ? Verdict.of(Kind.MASTER) : transactionEnd(Kind.ROLLBACK, second);
            case "ANALYZE" -> Verdict.of(Kind.EVERYWHERE);
            case "COPY" -> Verdict.refused("COPY is not supported through Multimed: use batches of INSERT");
            case "SHOW" -> second.equals("MULTIMED") ? Verdict.of(Kind.SHOW_STATUS) : Verdict.of(Kind.MASTER);
            case "VERIFY" -> second.equals("MULTIMED") ? Verdict.of(Kind.ADMINISTER) : Verdict.of(Kind.MASTER);
            case "ALTER", "DROP" -> second.equals("MULTIMED") ? Verdict.of(Kind.ADMINISTER) : change(tokens, ofSession);
            case "INSERT", "UPDATE", "DELETE", "MERGE" -> rowChange(sql, tokens);
            default -> Verdict.of(Kind.MASTER);
        };
    }

    private static Verdict rowChange(String sql, List<Token> tokens) {
        Verdict ofSession = SessionStatements.ofChange(sql, tokens);
        return ofSession != null ? ofSession : Verdict.of(Kind.MASTER);
    }

    private static Verdict query(String sql, List<Token> tokens, Judgements current) {
        Verdict ofSession = SessionStatements.ofQuery(sql, tokens);
        return ofSession != null ? ofSession : current.proof().of(sql, tokens);
    }

    private static Verdict transactionEnd(Kind kind, String second) {
        return second.equals("PREPARED")
                ? Verdict.refused("prepared transactions are not supported through Multimed")
                : Verdict.of(kind);
    }

    /** Event triggers fire for everything but event triggers, and cannot speak when they are dropped themselves. */
    private static Verdict change(List<Token> tokens, @Nullable Verdict ofSession) {
        String what = SqlTokens.word(tokens, 1);
        boolean capture = (what.equals("EVENT") || what.equals("SCHEMA"))
                && tokens.stream().anyMatch(StatementClassifier::isMultimeds);
        if (capture) {
            return Verdict.refused("this captures what is changed: it would no longer reach the satellites");
        }
        return ofSession != null ? ofSession : Verdict.of(Kind.MASTER);
    }

    private static boolean isMultimeds(Token token) {
        String name = token.text().replace("\"", "").toLowerCase(Locale.ROOT);
        return name.equals("multimed") || name.startsWith("multimed_");
    }

    private static boolean isUntransacted(List<Token> tokens) {
        String first = SqlTokens.word(tokens, 0);
        String second = SqlTokens.word(tokens, 1);
        return first.equals("VACUUM")
                || (first.equals("ALTER") && second.equals("SYSTEM"))
                || ((first.equals("CREATE") || first.equals("DROP"))
                        && (second.equals("DATABASE") || second.equals("TABLESPACE")))
                || (first.equals("REINDEX")
                        && Set.of("DATABASE", "SYSTEM", "SCHEMA").contains(second))
                || (MAYBE_CONCURRENT.contains(first) && tokens.stream().anyMatch(token -> token.is("CONCURRENTLY")));
    }

    /** Several statements in one text run on the master, in one transaction, as long as each of them can. */
    private Verdict severalStatements(String sql, List<Token> tokens, Judgements current) {
        Verdict whole = Verdict.of(Kind.MASTER);
        for (List<Token> one : SqlTokens.statements(tokens)) {
            Verdict verdict = single(sql, one, current);
            switch (verdict.kind()) {
                case REFUSED -> {
                    return verdict;
                }
                case BEGIN, COMMIT, ROLLBACK, UNTRANSACTED, DISCARD_ALL, SHOW_STATUS -> {
                    return Verdict.refused(
                            SqlTokens.word(one, 0)
                                    + " among several statements in one text is not supported through Multimed: send it as a statement of its own");
                }
                case SESSION_STATE -> whole = Verdict.sessionState(both(whole.setting(), verdict.setting()));
                default -> {
                    if (verdict.review() == Review.ALWAYS && whole.review() != Review.ALWAYS) {
                        whole = Verdict.of(Kind.MASTER, Review.ALWAYS);
                    }
                }
            }
        }
        return whole;
    }

    private static String both(String setting, String other) {
        if (setting.isEmpty() || other.isEmpty()) {
            return setting + other;
        }
        return setting.equals(other) ? setting : Verdict.ANY_SETTING;
    }
}
