// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.engine.dialect.EngineValues;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.ResultSetHead;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.statement.CallOptions;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.WireWriter;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The OUT and INOUT parameters of a call, which the client receives as one row. The row contains the number of a
 * cursor, from 0, in place of the cursor; the rows of the cursors follow the call's results, in this order.
 *
 * @param row null if the call has none
 */
record OutParameters(Outcome.@Nullable Rowset row, List<ResultSet> cursors) {
    static final OutParameters NONE = new OutParameters(null, List.of());

    /** The engine's name of the cursor type, by which the client recognizes a cursor. */
    private static final String CURSOR = "refcursor";

    static CallableStatement prepare(Connection connection, String sql, CallOptions call) throws SQLException {
        CallableStatement statement = connection.prepareCall(sql);
        for (CallOptions.Out out : call.outs()) {
            statement.registerOutParameter(out.index(), out.sqlType());
        }
        return statement;
    }

    static OutParameters of(CallableStatement statement, CallOptions call, EngineValues values) throws SQLException {
        if (call.outs().isEmpty()) {
            return NONE;
        }
        List<ResultSet> cursors = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        WireWriter row = new WireWriter();
        for (CallOptions.Out out : call.outs()) {
            EngineValues.OutParameter read = read(statement, out, call, values);
            if (read.value() instanceof ResultSet cursor) {
                columns.add(column(out, out.sqlType(), CURSOR));
                ValueCodec.write(cursors.size(), row);
                cursors.add(cursor);
            } else {
                columns.add(column(out, read.sqlType(), read.typeName()));
                ValueCodec.write(read.value(), row);
            }
        }
        ResultSetHead head = new ResultSetHead(0, false, columns);
        return new OutParameters(new Outcome.Rowset(head, new Rows(1, true, row.toByteArray())), cursors);
    }

    private static Column column(CallOptions.Out out, int sqlType, String typeName) {
        String label = String.valueOf(out.index());
        int nullable = ResultSetMetaData.columnNullableUnknown;
        return new Column(label, label, sqlType, typeName, "", 0, 0, 0, nullable, false, false, false, false);
    }

    private static EngineValues.OutParameter read(
            CallableStatement statement, CallOptions.Out out, CallOptions call, EngineValues values)
            throws SQLException {
        Optional<EngineValues.OutParameter> typed = values.outParameter(statement, out.index());
        return typed.isPresent()
                ? typed.get()
                : new EngineValues.OutParameter(wire(statement, out, call, values), out.sqlType(), "");
    }

    /** Returns a parameter in a class of the protocol, or a cursor. */
    private static @Nullable Object wire(
            CallableStatement statement, CallOptions.Out out, CallOptions call, EngineValues values)
            throws SQLException {
        Object value = statement.getObject(out.index());
        if (value == null
                || value instanceof String
                || value instanceof Number
                || value instanceof Boolean
                || value instanceof byte[]
                || value instanceof UUID
                || value instanceof ResultSet) {
            return value;
        }
        return value instanceof Date moment
                ? values.moment(statement, ordinal(out, call), moment, isOurZone(call.zone()))
                : values.toProtocol(value);
    }

    /** Returns the index of a parameter among the OUT parameters, from 1. */
    private static int ordinal(CallOptions.Out out, CallOptions call) {
        return (int) call.outs().stream()
                .filter(other -> other.index() <= out.index())
                .count();
    }

    /**
     * Returns whether the client uses the middleware's time zone. The engine's driver writes times with and without
     * time zone in the middleware's zone, so that in this case the kind is irrelevant.
     */
    private static boolean isOurZone(String client) {
        try {
            return ZoneId.of(client).getRules().equals(ZoneId.systemDefault().getRules());
        } catch (DateTimeException e) {
            return false;
        }
    }
}
