// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.statement;

import io.multimed.jdbc.result.JdbcResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The results of one execution of a statement, of which one is the current result. Protected by the guard of the
 * statement; all threads may call the methods that only return the current result.
 */
final class StatementResults {
    private static final long NO_COUNT = -1;

    /**
     * One result.
     *
     * @param rows null for a row count
     */
    record Result(@Nullable JdbcResultSet rows, long count) {}

    private static final Result NONE = new Result(null, NO_COUNT);

    /** Results that getMoreResults has not reached. */
    private final Deque<Result> more = new ArrayDeque<>();

    /** Results that getMoreResults left open. */
    private final List<JdbcResultSet> kept = new ArrayList<>();

    private volatile Result current = NONE;
    private @Nullable JdbcResultSet keys;
    private Keys source = () -> null;
    private boolean requested;

    /** Creates result sets with the generated keys of the execution. */
    @FunctionalInterface
    interface Keys {
        @Nullable
        JdbcResultSet open() throws SQLException;
    }

    /** Returns the rows of the current result; null if it is a row count, or if there is none. */
    @Nullable
    JdbcResultSet rows() {
        return current.rows();
    }

    /** Returns the row count of the current result; -1 if it has rows, or if there is none. */
    long count() {
        return current.count();
    }

    /** Returns whether no result follows the current one. */
    boolean isLast() {
        return more.isEmpty();
    }

    /** Returns the generated keys, or the row of a call's OUT parameters; null if there are none. */
    @Nullable
    JdbcResultSet keys() {
        return keys;
    }

    void setKeys(Keys given) throws SQLException {
        source = given;
        requested = false;
        keys = given.open();
    }

    /**
     * Returns the generated keys for the application; null if there are none.
     *
     * @param again whether each request after the first one receives a result set of its own
     */
    @Nullable
    JdbcResultSet requestKeys(boolean again) throws SQLException {
        JdbcResultSet before = keys;
        if (again && requested && before != null) {
            kept.removeIf(JdbcResultSet::isClosed);
            kept.add(before);
            keys = source.open();
        }
        requested = true;
        return keys;
    }

    /** Keeps the results of an execution, and moves to the first one. Returns whether that result has rows. */
    boolean begin(List<Result> results) {
        more.addAll(results);
        return advance();
    }

    /** Moves to the next result. Returns whether this result has rows. */
    private boolean advance() {
        Result next = more.poll();
        current = next == null ? NONE : next;
        return current.rows() != null;
    }

    /**
     * Moves to the next result. Returns whether this result has rows.
     *
     * @param instruction what happens to the current result, by a constant of Statement
     */
    boolean advance(int instruction) throws SQLException {
        JdbcResultSet before = current.rows();
        if (instruction == Statement.KEEP_CURRENT_RESULT && before != null) {
            kept.add(before);
        } else if (before != null) {
            before.close();
        }
        if (instruction == Statement.CLOSE_ALL_RESULTS) {
            List<JdbcResultSet> all = List.copyOf(kept);
            kept.clear();
            close(all);
        }
        return advance();
    }

    /** Closes all results. */
    void close() throws SQLException {
        List<JdbcResultSet> all = new ArrayList<>(kept);
        Stream.concat(Stream.of(current), more.stream())
                .map(Result::rows)
                .filter(Objects::nonNull)
                .forEach(all::add);
        if (keys != null) {
            all.add(keys);
        }
        kept.clear();
        more.clear();
        current = NONE;
        keys = null;
        close(all);
    }

    private static void close(List<JdbcResultSet> results) throws SQLException {
        for (JdbcResultSet result : results) {
            result.close();
        }
    }
}
