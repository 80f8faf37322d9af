package io.multimed.benchmark;

import io.multimed.engine.Engines;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Reading;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.SqlReader;
import io.multimed.server.dispatcher.routing.StatementClassifier;
import java.util.Set;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The classification of statements by their texts (architecture 4.1), for the SQL of one engine. */
@State(Scope.Thread)
public abstract class ClassificationBenchmark extends MultimedBenchmark {
    private static final Set<String> PURE_FUNCTIONS = Set.of("count", "lower", "max", "min", "sum", "upper");

    /** The kinds of statements that are classified. */
    public enum Statement {
        /** A pure read of one table. */
        READ,
        /** A pure read that joins three tables. */
        JOIN,
        UPDATE,
        DDL
    }

    @Param
    public Statement statement = Statement.READ;

    private final SqlReader reader;
    private final StatementClassifier classifier;

    /** The text before and behind a number that makes it a new text. */
    private String[] parts = {"", ""};

    private String known = "";
    private int number;

    /** @param engine name of the engine in the System Model */
    protected ClassificationBenchmark(String engine) {
        reader = Engines.of(engine).dialect().reader();
        classifier = new StatementClassifier(
                reader, () -> new SchemaFacts(PURE_FUNCTIONS, Set.of("email"), false, false, Set.of("item")));
    }

    /** Returns the text of a statement in the engine's SQL, with a sign # in place of one number. */
    protected abstract String text(Statement kind);

    @Setup
    public void prepare() {
        parts = text(statement).split("#", 2);
        known = next();
        boolean read = statement == Statement.READ || statement == Statement.JOIN;
        Classification classification = classifier.classify(known);
        if (read != classification.isPureRead()) {
            throw new IllegalStateException("%s is classified as %s".formatted(known, classification));
        }
    }

    private String next() {
        return parts[0] + number++ + parts[1];
    }

    /** A text that has been classified before, such as that of a prepared statement. */
    @Benchmark
    public Classification cached() {
        return classifier.classify(known);
    }

    /** A new text, such as one that contains its values. Its classification enters the cache, from which others leave. */
    @Benchmark
    public Classification uncached() {
        return classifier.classify(next());
    }

    /** Only the tokens of the text: the first step of {@link #uncached}. */
    @Benchmark
    public Reading tokens() {
        return reader.reading(known);
    }
}
