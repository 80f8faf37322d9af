package io.multimed.middleware.dispatcher;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.multimed.middleware.node.engine.sql.ReadProof;
import io.multimed.middleware.node.engine.sql.SchemaFacts;
import io.multimed.middleware.node.engine.sql.SqlReader;
import io.multimed.middleware.node.engine.sql.SqlText;
import io.multimed.middleware.node.engine.sql.Verdict;
import io.multimed.middleware.node.engine.sql.Verdict.Kind;
import io.multimed.middleware.node.engine.sql.Verdict.Review;
import java.sql.SQLException;
import java.util.List;
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

    private final SqlReader reader;
    private final SchemaSource schema;

    /** Replaced as a whole when the schema changes. */
    private volatile Judgements judgements = new Judgements();

    /** Asks the master for its schema; may take milliseconds. */
    @FunctionalInterface
    public interface SchemaSource {
        SchemaFacts read() throws SQLException;
    }

    public StatementClassifier(SqlReader reader, SchemaSource schema) {
        this.reader = reader;
        this.schema = schema;
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
        private volatile @Nullable ReadProof proof;

        ReadProof proof() {
            ReadProof known = proof;
            if (known == null) {
                try {
                    known = new ReadProof(reader.readRules(), schema.read());
                    proof = known;
                } catch (SQLException e) {
                    LOG.debug("the master's schema cannot be read: none counts as pure", e);
                    known = new ReadProof(reader.readRules(), SchemaFacts.UNKNOWN);
                }
            }
            return known;
        }
    }

    private Verdict judge(String sql, Judgements current) {
        List<SqlText> statements = reader.statements(reader.read(sql));
        return statements.size() == 1 ? single(statements.get(0), current) : several(statements, current);
    }

    private Verdict single(SqlText statement, Judgements current) {
        Verdict ofMultimed = ofMultimed(statement);
        return ofMultimed != null ? ofMultimed : reader.judge(statement, current::proof);
    }

    private static @Nullable Verdict ofMultimed(SqlText statement) {
        if (!statement.isAt(1, "MULTIMED")) {
            return null;
        }
        return switch (statement.word(0)) {
            case "SHOW" -> Verdict.of(Kind.SHOW_STATUS);
            case "VERIFY", "ALTER", "DROP" -> Verdict.of(Kind.ADMINISTER);
            default -> null;
        };
    }

    /** Several statements in one text run on the master, in one transaction, as long as each of them can. */
    private Verdict several(List<SqlText> statements, Judgements current) {
        String why = "several statements in one text";
        Verdict whole = Verdict.of(Kind.MASTER).because(why);
        for (SqlText one : statements) {
            Verdict verdict = single(one, current);
            if (verdict.has(Verdict.Trait.PREPARES) || verdict.kind().isDispatchers()) {
                return amongOthers(one);
            }
            switch (verdict.kind()) {
                case REFUSED -> {
                    return verdict;
                }
                case UNTRANSACTED, DISCARD_ALL -> {
                    return amongOthers(one);
                }
                case SESSION_STATE -> whole = Verdict.sessionState(both(whole.setting(), verdict.setting()));
                default -> {
                    if (verdict.review() == Review.ALWAYS && whole.review() != Review.ALWAYS) {
                        whole = Verdict.of(Kind.MASTER, Review.ALWAYS).because(why);
                    }
                }
            }
        }
        return whole;
    }

    private static Verdict amongOthers(SqlText one) {
        return Verdict.refused(
                one.word(0)
                        + " among several statements in one text is not supported through Multimed: send it as a statement of its own");
    }

    private static String both(String setting, String other) {
        if (setting.isEmpty() || other.isEmpty()) {
            return setting + other;
        }
        return setting.equals(other) ? setting : Verdict.ANY_SETTING;
    }
}
