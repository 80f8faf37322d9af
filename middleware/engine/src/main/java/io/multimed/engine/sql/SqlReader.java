// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.Optional;
import java.util.function.Supplier;

/** Reads an engine's SQL as far as routing needs it. Stateless. */
public interface SqlReader {
    /** Returns the tokens of a text under the engine's default settings. Takes microseconds. */
    SqlText read(String sql);

    /** Returns whether a token of {@link #read} is a string under some setting of the engine. */
    default boolean mayBeString(Token token) {
        return token.kind() == Token.Kind.STRING;
    }

    /** Returns a client's text as the engine and its driver interpret it. Takes microseconds. */
    Reading reading(String sql);

    /**
     * Classifies one statement. The caller handles Multimed's own statements, and texts with several statements.
     *
     * @param proof may query the master's catalog; used for queries only
     */
    Classification classify(SqlText statement, Supplier<ReadProof> proof);

    /** Returns the rules for the proof that a query is a pure read. */
    ReadRules readRules();

    boolean changesRowsOnly(SqlText statement);

    /**
     * Returns the text by which {@link io.multimed.engine.dialect.ResultStreaming#joinReads} runs a query several times
     * in one message; empty if this is not possible. The query is a single statement without semicolons that the engine
     * has executed before.
     *
     * @param times at least 1
     */
    default Optional<String> repeated(String query, int times) {
        return Optional.empty();
    }
}
