package io.multimed.engine.sql;

import java.util.function.Supplier;

/** Reads an engine's SQL as far as routing needs it. Stateless. */
public interface SqlReader {
    /** Returns the tokens of a text under the engine's default settings. Takes microseconds. */
    SqlText read(String sql);

    /** Returns a client's text as the engine and its driver interpret it. Takes microseconds. */
    Reading reading(String sql);

    /**
     * How one statement is to be run. Multimed's own statements and texts with several are the caller's.
     *
     * @param proof may ask the master's catalogue: only for queries
     */
    Classification judge(SqlText statement, Supplier<ReadProof> proof);

    /** Returns the rules for the proof that a query is a pure read. */
    ReadRules readRules();

    /** Whether a single statement changes rows and returns none. */
    boolean changesRowsOnly(SqlText statement);
}
