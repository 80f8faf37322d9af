// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.mysql.sql.MySqlTokens.Rules;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.Classification.Review;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.ReadRules;
import io.multimed.engine.sql.Reading;
import io.multimed.engine.sql.SqlReader;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads and classifies statements of MariaDB and MySQL. Stateless. */
public final class MySqlReader implements SqlReader {
    /** First words of statements that change rows. */
    private static final Set<String> CHANGES = Set.of("INSERT", "UPDATE", "DELETE", "REPLACE");

    private static final ReadRules RULES = new MySqlReadRules();

    @Override
    public SqlText read(String sql) {
        return MySqlTokens.of(sql, Rules.USUAL);
    }

    /** A text in double quotes is a string, unless ANSI_QUOTES is set. */
    @Override
    public boolean mayBeString(Token token) {
        return token.kind() == Token.Kind.STRING
                || (token.kind() == Token.Kind.QUOTED_NAME && token.text().startsWith("\""));
    }

    @Override
    public Reading reading(String sql) {
        return MySqlTexts.read(sql);
    }

    @Override
    public ReadRules readRules() {
        return RULES;
    }

    @Override
    public boolean changesRowsOnly(SqlText statement) {
        return CHANGES.contains(statement.word(0)) && !statement.has("RETURNING");
    }

    /** Returns the query itself: each execution is a request of its own to the engine. */
    @Override
    public Optional<String> repeated(String query, int times) {
        return Optional.of(query);
    }

    /**
     * Classifies the statement for each set of executable comments that some engine executes. Refuses the statement if
     * the classifications differ, so that no engine runs another statement than the one that was classified
     * (architecture 4.7).
     */
    @Override
    public Classification classify(SqlText statement, Supplier<ReadProof> proof) {
        Classification classification = judgeOne(statement, proof);
        boolean sure = MySqlTexts.onOtherVersions(statement).stream()
                .allMatch(other -> classification.asks(judgeOne(other, proof)));
        Classification reviewed = StateInBodies.mayRunCode(classification)
                        || (classification.kind() == Kind.NON_TRANSACTIONAL && classification.review() == Review.ALWAYS)
                ? StateInBodies.examined(classification, statement, proof.get().hiddenState())
                : classification;
        return sure
                ? reviewed
                : Classification.refused(
                        "a comment that only some versions of the engine execute changes the kind of this statement: remove the comment, or write its content as a statement");
    }

    /**
     * Classifies one reading. Marks of executable comments are ignored, except in queries: a query with a mark is no
     * pure read.
     */
    private Classification judgeOne(SqlText statement, Supplier<ReadProof> proof) {
        SqlText plain = SessionReviews.withVariables(MySqlTexts.withoutMarks(statement));
        return SessionReviews.of(judgeByForm(statement, plain, proof), plain);
    }

    private Classification judgeByForm(SqlText statement, SqlText plain, Supplier<ReadProof> proof) {
        Classification special = special(plain, proof);
        if (special != null) {
            return special;
        }
        return switch (plain.word(0)) {
            case "SELECT", "WITH", "VALUES", "TABLE", "(" -> query(statement, proof);
            case "INSERT", "UPDATE", "DELETE", "REPLACE", "LOAD" -> change(plain);
            case "SHOW" -> MySqlSessionStatements.show(plain);
            case "EXPLAIN", "DESCRIBE", "DESC", "HELP" -> explanation(statement, plain, proof);
            default -> Classification.of(Kind.MASTER, Review.ALWAYS);
        };
    }

    /** Classifies statements that are recognized by their first words; returns null for others. */
    private @Nullable Classification special(SqlText statement, Supplier<ReadProof> proof) {
        Classification refused = GlobalSettings.refusal(statement).orElseGet(() -> MySqlRefusals.of(statement));
        if (refused != null) {
            return refused;
        }
        if (statement.begins("SET", "STATEMENT")) {
            return afterSettings(statement, proof);
        }
        Classification ofPreparation = PreparedTexts.of(statement);
        if (ofPreparation != null) {
            return ofPreparation;
        }
        Classification ofTransaction = MySqlTransactionStatements.of(statement);
        if (ofTransaction != null) {
            return ofTransaction;
        }
        Classification ofSession = MySqlSessionStatements.of(statement);
        return ofSession != null ? ofSession : MySqlSchemaStatements.of(statement);
    }

    /**
     * Classifies MariaDB's SET STATEMENT name = value FOR statement by the inner statement. A query runs on the
     * master, because the setting may change the query's result.
     */
    private Classification afterSettings(SqlText statement, Supplier<ReadProof> proof) {
        List<Token> tokens = statement.tokens();
        for (int i = 2; i < tokens.size() - 1; i++) {
            if (tokens.get(i).is("FOR")) {
                Classification inner =
                        judgeOne(new SqlText(statement.whole(), tokens.subList(i + 1, tokens.size())), proof);
                boolean query = inner.kind() == Kind.PURE_READ || inner.kind() == Kind.QUERY;
                Classification whole = query ? Classification.of(Kind.MASTER) : inner;
                return SessionReviews.isExplained(tokens.subList(0, i)) ? whole : whole.with(Review.ALWAYS);
            }
        }
        return Classification.of(Kind.MASTER, Review.ALWAYS);
    }

    /** Classifies a query: by its effects on the session, as a question about settings, or by the proof. */
    private static Classification query(SqlText statement, Supplier<ReadProof> proof) {
        Classification ofSession = MySqlSessionStatements.ofQuery(statement);
        if (ofSession != null) {
            return ofSession;
        }
        if (MySqlSessionStatements.asksSettingsOnly(statement)) {
            return Classification.of(Kind.CATALOG);
        }
        return isReadOneWayOnly(statement) ? proof.get().of(statement) : Classification.of(Kind.MASTER, Review.ALWAYS);
    }

    /** Classifies a change of rows, which may concern the session by LAST_INSERT_ID() or by locks. */
    private static Classification change(SqlText statement) {
        Classification ofSession = MySqlSessionStatements.ofChange(statement);
        return ofSession != null ? ofSession : Classification.of(Kind.MASTER);
    }

    /**
     * ANALYZE runs the statement, and INTO writes to a variable. The engine may run subqueries in order to explain a
     * query.
     */
    private static Classification explanation(SqlText statement, SqlText plain, Supplier<ReadProof> proof) {
        if (plain.isAt(1, "ANALYZE") || plain.has("INTO")) {
            return Classification.of(Kind.MASTER, Review.ALWAYS);
        }
        return SessionReviews.ofDescription(
                SessionReviews.isExplained(plain.tokens()) || explainsRead(statement, proof));
    }

    private static boolean explainsRead(SqlText statement, Supplier<ReadProof> proof) {
        List<Token> tokens = statement.tokens();
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).is("SELECT") || tokens.get(i).is("WITH")) {
                return query(new SqlText(statement.whole(), tokens.subList(i, tokens.size())), proof)
                        .changesNothing();
            }
        }
        return false;
    }

    /**
     * Returns whether every server reads the same tokens: the end of a string may depend on sql_mode, and the content
     * of executable comments on the version.
     */
    private static boolean isReadOneWayOnly(SqlText statement) {
        return !MySqlTexts.hasMarks(statement) && MySqlTexts.isSettled(statement.whole());
    }
}
