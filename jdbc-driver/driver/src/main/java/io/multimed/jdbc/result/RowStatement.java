// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import io.multimed.jdbc.session.ParameterUpload;
import io.multimed.jdbc.session.SessionChannel;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.statement.GeneratedKeys;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.value.Parameter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement by which a result set changes or reads one row. Built by appending text and parameters; used by the
 * thread that holds the guard of the result set.
 */
final class RowStatement {
    /** Suffices to recognize that there is not exactly one row. */
    private static final int MAX_ROWS = 2;

    private final StringBuilder sql = new StringBuilder();
    private final List<Parameter> parameters = new ArrayList<>();

    /**
     * The answer to a statement.
     *
     * @param count number of rows that the statement has changed or returned, the latter up to 2
     * @param rows the rows that the statement has returned, up to 2
     * @param key the generated key; null if there is none, or if it was not requested
     */
    record Answer(
            long count,
            List<@Nullable Object[]> rows,
            @Nullable Object key) {}

    RowStatement(String text) {
        sql.append(text);
    }

    RowStatement add(String text) {
        sql.append(text);
        return this;
    }

    RowStatement add(String text, List<Parameter> values) {
        parameters.addAll(values);
        return add(text);
    }

    /**
     * Runs the statement.
     *
     * @param width number of columns of the rows that the statement returns
     */
    Answer execute(ResultContext connection, int width, GeneratedKeys wanted) throws SQLException {
        return connection.channel().guard().get(() -> {
            SessionChannel channel = connection.channel();
            Executed executed = execute(connection, channel, wanted);
            Outcome first = executed.outcomes().get(0);
            List<@Nullable Object[]> rows = rows(channel, first, width);
            List<@Nullable Object[]> keys = executed.keys() == null ? List.of() : rows(channel, executed.keys(), 1);
            return new Answer(
                    first instanceof Outcome.Count count ? count.rows() : rows.size(),
                    rows,
                    keys.isEmpty() ? null : keys.get(0)[0]);
        });
    }

    private Executed execute(ResultContext connection, SessionChannel channel, GeneratedKeys wanted)
            throws SQLException {
        String text = sql.toString();
        StatementText reference = channel.slots().reference(text);
        try {
            Execute request = new Execute(
                    connection.mode(),
                    reference,
                    new ParameterUpload(channel).send(parameters),
                    wanted.wanted() ? new ExecuteOptions(0, 0, 0, wanted) : ExecuteOptions.DEFAULT);
            Executed executed = channel.call(request, Executed.class);
            if (executed.outcomes().get(0) instanceof Outcome.Rowset rowset) {
                channel.slots().columns(text, rowset.head());
            }
            return executed;
        } catch (SQLException | RuntimeException | Error e) {
            channel.slots().invalidate(text);
            throw e;
        }
    }

    private static List<@Nullable Object[]> rows(SessionChannel channel, Outcome outcome, int width)
            throws SQLException {
        List<@Nullable Object[]> rows = new ArrayList<>();
        if (outcome instanceof Outcome.Rowset rowset) {
            RowSource source = RowSource.received(channel, rowset, MAX_ROWS);
            for (@Nullable Object[] row = source.next(width); row != null; row = source.next(width)) {
                rows.add(row);
                if (rows.size() == MAX_ROWS) {
                    break;
                }
            }
            source.close();
        }
        return rows;
    }
}
