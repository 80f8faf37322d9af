// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.ResultSetHead;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.WireWriter;
import java.sql.ResultSetMetaData;
import java.sql.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds a result set whose rows come from Multimed itself. */
public final class ResultTable {
    private final List<Column> columns;
    private final WireWriter out = new WireWriter();
    private int rows;

    public ResultTable(Column... columns) {
        this.columns = List.of(columns);
    }

    /** Adds a row; the values must have the types of the columns. */
    public void row(@Nullable Object... values) {
        for (Object value : values) {
            ValueCodec.write(value, out);
        }
        rows++;
    }

    public Executed asResult(SessionStatus status) {
        Rows all = new Rows(rows, true, out.toByteArray());
        return new Executed(
                status, List.of(new Outcome.Rowset(new ResultSetHead(0, false, columns), all)), null, List.of());
    }

    public static Column text(String name) {
        return column(name, Types.VARCHAR, "text", "java.lang.String");
    }

    static Column number(String name) {
        return column(name, Types.BIGINT, "int8", "java.lang.Long");
    }

    static Column smallNumber(String name) {
        return column(name, Types.INTEGER, "int4", "java.lang.Integer");
    }

    static Column fraction(String name) {
        return column(name, Types.DOUBLE, "float8", "java.lang.Double");
    }

    private static Column column(String name, int type, String typeName, String className) {
        boolean signed = type != Types.VARCHAR;
        return new Column(
                name,
                name,
                type,
                typeName,
                className,
                0,
                0,
                20,
                ResultSetMetaData.columnNullable,
                signed,
                false,
                !signed,
                false);
    }
}
