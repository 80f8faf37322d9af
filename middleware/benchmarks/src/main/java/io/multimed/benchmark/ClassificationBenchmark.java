// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark;

import io.multimed.engine.Engines;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.FunctionNames;
import io.multimed.engine.sql.HiddenState;
import io.multimed.engine.sql.Reading;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.SqlReader;
import io.multimed.server.dispatcher.classification.StatementClassifier;
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
                reader,
                () -> new SchemaFacts(
                        FunctionNames.pure(PURE_FUNCTIONS),
                        Set.of("email"),
                        false,
                        false,
                        false,
                        Set.of("item"),
                        Set.of(),
                        Set.of(),
                        HiddenState.NONE));
    }

    /** Returns a CREATE TABLE statement in the engine's SQL, with a sign # in place of one number. */
    protected abstract String ddl();

    private String text() {
        return switch (statement) {
            case READ -> "SELECT i_id, i_title, i_cost FROM item WHERE i_id = ? AND i_stock > #";
            case JOIN -> """
                SELECT i.i_id, i.i_title, a.a_fname, a.a_lname, sum(ol.ol_qty) AS sold
                FROM item i JOIN author a ON i.i_a_id = a.a_id JOIN order_line ol ON ol.ol_i_id = i.i_id
                WHERE i.i_subject = ? AND ol.ol_o_id > #
                GROUP BY i.i_id, i.i_title, a.a_fname, a.a_lname ORDER BY sold DESC LIMIT 50""";
            case UPDATE -> "UPDATE item SET i_cost = ?, i_stock = i_stock - 1 WHERE i_id = #";
            case DDL -> ddl();
        };
    }

    @Setup
    public void prepare() {
        parts = text().split("#", 2);
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

    /** A new text, such as one that contains its values. Its classification displaces others in the cache. */
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
