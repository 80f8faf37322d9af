// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.classification;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.Reading;
import io.multimed.engine.sql.RoutingHints;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.SqlReader;
import io.multimed.engine.sql.SqlText;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Classifies statements by their text (architecture 4.1).
 *
 * <p>Classifications are cached by text, up to a number of characters, until the schema changes: after a schema change
 * a pure read may call another function. Thread-safe.
 */
public final class StatementClassifier {
    private static final Logger LOG = LoggerFactory.getLogger(StatementClassifier.class);
    private static final long CACHED_CHARACTERS = 16 << 20;
    private static final int MAX_WORD_LENGTH = 30;
    private static final int BYTES_PER_NAME = 64;

    /** Clients do not wait for another attempt to read the schema for this time after one has failed. */
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Statements that begin with one of these words do not change how the engine parses later statements, unless they
     * call a function that does.
     */
    private static final Set<String> SET_NOTHING =
            Set.of("INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "SELECT", "WITH", "VALUES", "TABLE", "(");

    private static final Set<String> DEFINITIONS = Set.of("CREATE", "ALTER", "DROP");

    /** First words of statements in EXPLAIN ROUTE that are not names of columns, whatever follows them. */
    private static final Set<String> EXPLAINED = Set.of(
            "SELECT", "WITH", "VALUES", "TABLE", "(", "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "CALL", "SET",
            "SHOW");

    private final SqlReader reader;
    private final SchemaSource schema;
    private final ReadProof noProof;
    private final long retryNanos;

    /** Replaced as a whole when the schema changes. */
    private volatile SchemaClassifications schemaClassifications = new SchemaClassifications(null);

    /** Reads the schema from the master; may take milliseconds. */
    @FunctionalInterface
    public interface SchemaSource {
        SchemaFacts read() throws SQLException;
    }

    public StatementClassifier(SqlReader reader, SchemaSource schema) {
        this(reader, schema, RETRY_NANOS);
    }

    /** @param retryNanos see {@link #RETRY_NANOS} */
    StatementClassifier(SqlReader reader, SchemaSource schema, long retryNanos) {
        this.retryNanos = retryNanos;
        this.reader = reader;
        this.schema = schema;
        this.noProof = ReadProof.none(reader.readRules());
    }

    /** Returns the classification if it is cached; costs no parsing. */
    @Nullable
    public Classification cached(String sql) {
        return schemaClassifications.classifications.getIfPresent(sql);
    }

    /**
     * The result of a classification without a proof.
     *
     * @param classification the final classification, or a safe one that sends all queries to the master
     * @param needsProof whether a proof, which may take longer, can give a better classification
     */
    public record UnprovedClassification(Classification classification, boolean needsProof) {}

    /**
     * Returns the classification as far as it requires no proof. May parse, and therefore must not be called on an I/O
     * thread.
     */
    public UnprovedClassification classifyWithoutProof(String sql) {
        SchemaClassifications current = schemaClassifications;
        Classification known = current.classifications.getIfPresent(sql);
        if (known != null) {
            return new UnprovedClassification(known, false);
        }
        AtomicBoolean asked = new AtomicBoolean();
        Classification classification = classify(sql, () -> {
            asked.set(true);
            return noProof;
        });
        if (!asked.get()) {
            current.classifications.put(sql, classification);
        }
        return new UnprovedClassification(classification, asked.get());
    }

    /**
     * Returns the classification. The first call for a text may take milliseconds, and therefore must not be made on an
     * I/O thread. While the schema cannot be read, the classification is the safe one, and is not cached.
     */
    public Classification classify(String sql) {
        SchemaClassifications current = schemaClassifications;
        Classification known = current.classifications.getIfPresent(sql);
        if (known != null) {
            return known;
        }
        AtomicBoolean guessed = new AtomicBoolean();
        Classification classification = classify(
                sql,
                () -> { // outside of the cache, where other threads would wait
                    ReadProof proof = current.proof();
                    if (proof != current.proof) {
                        guessed.set(true);
                    }
                    return proof;
                });
        if (!guessed.get()) {
            current.classifications.put(sql, classification);
        }
        return classification;
    }

    /**
     * Invalidates the classifications and the facts on functions, as far as the next read of the schema returns other
     * facts.
     */
    public void schemaChanged() {
        SchemaClassifications last = schemaClassifications;
        schemaClassifications = new SchemaClassifications(last.hasProof() ? last : last.before);
    }

    /** The classifications that are valid for one version of the schema. */
    private final class SchemaClassifications {
        /** The classifications before the last schema change; null when the new schema has been read. */
        private volatile @Nullable SchemaClassifications before;

        private volatile Cache<String, Classification> classifications = Caffeine.newBuilder()
                .maximumWeight(CACHED_CHARACTERS)
                .weigher((String sql, Classification classification) -> sql.length() + 100 + namesOf(classification))
                .build();

        private volatile @Nullable SchemaFacts facts;

        /** The proof for this schema; null until the schema has been read. */
        private volatile @Nullable ReadProof proof;

        /** Time of the last attempt to read the schema that failed, by {@link System#nanoTime}; null if none did. */
        private volatile @Nullable Long failedAt;

        SchemaClassifications(@Nullable SchemaClassifications before) {
            this.before = before;
        }

        boolean hasProof() {
            return proof != null;
        }

        /**
         * Keeps the earlier classifications if the schema facts are the same: DDL rarely concerns functions. DDL on
         * tables concerns the classifications of changes only, which need no proof.
         */
        private ReadProof createProof(SchemaFacts found) {
            SchemaClassifications last = before;
            SchemaFacts earlier = last == null ? null : last.facts;
            if (last != null && found.equals(earlier)) {
                last.classifications.putAll(classifications.asMap());
                classifications = last.classifications;
            } else if (last != null && earlier != null && found.differsInTablesOnly(earlier)) {
                last.classifications.asMap().forEach((sql, known) -> {
                    if (known.kind() != Kind.MASTER) {
                        classifications.put(sql, known);
                    }
                });
            }
            before = null;
            facts = found;
            return new ReadProof(reader.readRules(), found);
        }

        ReadProof proof() {
            ReadProof known = proof;
            if (known == null && mayRead()) {
                try {
                    known = createProof(schema.read());
                    proof = known;
                } catch (SQLException e) {
                    LOG.warn(
                            "the master's schema cannot be read; until then, reads with functions run on the master: {}",
                            e.getMessage());
                    failedAt = System.nanoTime();
                }
            }
            return known == null ? new ReadProof(reader.readRules(), SchemaFacts.UNKNOWN) : known;
        }

        private boolean mayRead() {
            Long failed = failedAt;
            return failed == null || System.nanoTime() - failed >= retryNanos;
        }
    }

    /** Returns the approximate size of the names that a classification contains. */
    private static int namesOf(Classification classification) {
        return classification.names() == null
                ? 0
                : BYTES_PER_NAME * classification.names().size();
    }

    private Classification classify(String sql, Supplier<ReadProof> proof) {
        try {
            Reading reading = reader.reading(sql);
            RoutingHints hints = RoutingHints.of(sql);
            return reading.refusal().isEmpty()
                    ? classify(reading, proof).with(hints)
                    : Classification.refused(reading.refusal());
        } catch (RoutingHints.MalformedException e) {
            return Classification.refused(String.valueOf(e.getMessage())).with(Classification.Trait.MALFORMED);
        } catch (RuntimeException | StackOverflowError e) {
            LOG.warn("a statement of {} characters could not be parsed", sql.length(), e);
            return Classification.refused("this statement could not be parsed: simplify it");
        }
    }

    private Classification classify(Reading reading, Supplier<ReadProof> proof) {
        List<SqlText> statements = reading.statements();
        Classification classification = statements.size() == 1
                ? single(statements.get(0), proof)
                : several(statements, reading.settled(), proof);
        return reading.settled() ? classification : classification.with(Classification.Trait.DEFAULT_QUOTING);
    }

    private Classification single(SqlText statement, Supplier<ReadProof> proof) {
        Classification ofMultimed = ofMultimed(statement);
        if (ofMultimed != null) {
            return ofMultimed;
        }
        Classification classification = reader.classify(statement, proof);
        boolean setsNothing =
                SET_NOTHING.contains(statement.word(0)) && classification.review() == Classification.Review.NEVER;
        if (setsNothing) {
            return classification;
        }
        Classification setting = classification.with(Classification.Trait.MAY_SET);
        return DEFINITIONS.contains(statement.word(0)) && statement.has("TRIGGER")
                ? setting.with(Classification.Trait.DEFINES_TRIGGER)
                : setting;
    }

    private static @Nullable Classification ofMultimed(SqlText statement) {
        if (isExplainRoute(statement)) {
            return Classification.of(Kind.EXPLAIN_ROUTE);
        }
        if (!statement.isAt(1, "MULTIMED")) {
            return null;
        }
        return switch (statement.word(0)) {
            case "SHOW" -> Classification.of(Kind.SHOW_STATUS);
            case "VERIFY", "ALTER", "DROP" -> Classification.of(Kind.ADMINISTER);
            default -> null;
        };
    }

    /**
     * Returns whether a statement is an EXPLAIN ROUTE. On some engines, EXPLAIN describes a table, which may have this
     * name; the name of a column may follow it.
     */
    private static boolean isExplainRoute(SqlText statement) {
        if (!statement.begins("EXPLAIN", "ROUTE")) {
            return false;
        }
        String first = statement.word(2);
        boolean hasMore = !statement.word(3).isEmpty();
        return EXPLAINED.contains(first) || (hasMore && Character.isLetter(first.charAt(0)));
    }

    /** Classifies several statements in one text: they run on the master, in one transaction, if each of them can. */
    private Classification several(List<SqlText> statements, boolean settled, Supplier<ReadProof> proof) {
        CombinedClassification combined = new CombinedClassification("several statements in one text");
        for (SqlText one : statements) {
            Classification classification = single(one, proof);
            combined.add(
                    settled ? classification : classification.with(Classification.Trait.DEFAULT_QUOTING), one.word(0));
        }
        return combined.classification();
    }

    /** Returns the classification of a batch of texts if that of each text is cached; requires no parsing. */
    @Nullable
    public Classification cachedBatch(List<String> texts) {
        List<Classification> classifications = new ArrayList<>(texts.size());
        for (String text : texts) {
            Classification classification = cached(text);
            if (classification == null) {
                return null;
            }
            classifications.add(classification);
        }
        return batch(texts, classifications);
    }

    /** Returns the same as {@link #classifyWithoutProof} for a batch of texts that run in sequence. */
    public UnprovedClassification classifyBatchWithoutProof(List<String> texts) {
        List<UnprovedClassification> unproved =
                texts.stream().map(this::classifyWithoutProof).toList();
        return new UnprovedClassification(
                batch(
                        texts,
                        unproved.stream()
                                .map(UnprovedClassification::classification)
                                .toList()),
                unproved.stream().anyMatch(UnprovedClassification::needsProof));
    }

    /**
     * Returns the classification of a batch of texts that run in sequence. Each text is classified separately, as it
     * will be sent: an unterminated string or comment does not continue in the next text.
     */
    public Classification classifyBatch(List<String> texts) {
        return batch(texts, texts.stream().map(this::classify).toList());
    }

    private Classification batch(List<String> texts, List<Classification> classifications) {
        if (texts.size() == 1) {
            return classifications.get(0).inBatch();
        }
        CombinedClassification combined = new CombinedClassification("several statements in one batch");
        for (int i = 0; i < texts.size(); i++) {
            combined.add(classifications.get(i).inBatch(), firstWord(texts.get(i)));
        }
        return combined.classification();
    }

    /** Returns the statement that EXPLAIN ROUTE explains, with its comments. */
    public String explained(String sql) {
        return sql.substring(reader.read(sql).tokens().get(1).end()).stripLeading();
    }

    /** Returns the first word as written, for messages. */
    private static String firstWord(String sql) {
        String text = sql.strip();
        int end = 0;
        while (end < text.length() && end < MAX_WORD_LENGTH && Character.isLetter(text.charAt(end))) {
            end++;
        }
        return end == 0 ? "a statement" : text.substring(0, end).toUpperCase(Locale.ROOT);
    }
}
