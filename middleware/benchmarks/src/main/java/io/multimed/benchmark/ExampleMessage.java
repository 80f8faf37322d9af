// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark;

import com.google.errorprone.annotations.Immutable;
import io.multimed.protocol.request.Commit;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.ExecuteBatch;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.ResultSetHead;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.Message;
import io.multimed.protocol.wire.WireWriter;
import java.math.BigDecimal;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.Collections;
import java.util.List;

/** Messages that make up most of the traffic of an application. */
public enum ExampleMessage {
    /** A prepared point read whose text the session knows. */
    POINT_READ(scratch -> new Execute(
            TransactionMode.DEFAULT,
            new StatementText(3, true, null),
            List.of(new Parameter(Types.INTEGER, 4_711)),
            ExecuteOptions.DEFAULT)),

    /** The first execution of a prepared statement, which carries its text. */
    FIRST_READ(scratch -> new Execute(
            TransactionMode.DEFAULT,
            new StatementText(3, true, "SELECT i_id, i_title, i_cost, i_stock, i_pub_date FROM item WHERE i_id = ?"),
            List.of(new Parameter(Types.INTEGER, 4_711)),
            ExecuteOptions.DEFAULT)),

    /** A batch of ten updates. */
    BATCH(scratch -> new ExecuteBatch(
            new TransactionMode(false, false, 0),
            new StatementText(4, true, null),
            Collections.nCopies(
                    10, List.of(new Parameter(Types.VARCHAR, "Middlemarch"), new Parameter(Types.INTEGER, 4_711))),
            ExecuteOptions.DEFAULT)),

    COMMIT(scratch -> new Commit(false)),

    /** The response to a point read whose columns the session knows. */
    ONE_ROW(scratch -> rows(1, true, scratch)),

    /** The response to the first execution of a point read, which describes the columns. */
    FIRST_ROW(scratch -> rows(1, false, scratch)),

    HUNDRED_ROWS(scratch -> rows(100, true, scratch)),

    /** The response to an update. */
    COUNT(scratch -> new Executed(
            new SessionStatus(true, true, false, false, false, false, 0, null, 0, Route.UPDATE, 0),
            List.of(new Outcome.Count(1)),
            null,
            List.of())),

    /** The response to a commit. */
    DONE(scratch -> new Done(new SessionStatus(false, false, 0, 123_456_789)));

    /** Number of columns in a row. */
    static final int COLUMNS = 5;

    private static final List<Column> DESCRIPTION = List.of(
            column("i_id", Types.INTEGER, "int4", Integer.class),
            column("i_title", Types.VARCHAR, "varchar", String.class),
            column("i_cost", Types.NUMERIC, "numeric", BigDecimal.class),
            column("i_stock", Types.BIGINT, "int8", Long.class),
            column("i_pub_date", Types.TIMESTAMP, "timestamp", java.sql.Timestamp.class));

    private static final BigDecimal COST = new BigDecimal("17.95");
    private static final LocalDateTime PUBLISHED = LocalDateTime.of(1871, 12, 1, 9, 30);

    private final Example example;

    /** Creates a message. */
    @Immutable
    @FunctionalInterface
    private interface Example {
        Message create(WireWriter scratch);
    }

    ExampleMessage(Example example) {
        this.example = example;
    }

    /**
     * Creates the message; the values of rows are encoded, as the middleware encodes them while it reads a result.
     *
     * @param scratch for the values of rows
     */
    Message create(WireWriter scratch) {
        return example.create(scratch);
    }

    private static Column column(String name, int type, String typeName, Class<?> valueClass) {
        return new Column(name, name, type, typeName, valueClass.getName(), 10, 0, 11, 1, true, false, false, false);
    }

    private static Executed rows(int count, boolean sameColumns, WireWriter scratch) {
        scratch.clear();
        for (int i = 0; i < count; i++) {
            ValueCodec.write(4_711 + i, scratch);
            ValueCodec.write("Middlemarch: A Study of Provincial Life", scratch);
            ValueCodec.write(COST, scratch);
            ValueCodec.write(1_000_000_000_000L + i, scratch);
            ValueCodec.write(PUBLISHED, scratch);
        }
        return new Executed(
                new SessionStatus(false, true, false, false, false, false, 0, null, 1, Route.FRESH, 123_456_789),
                List.of(new Outcome.Rowset(
                        new ResultSetHead(0, sameColumns, sameColumns ? List.of() : DESCRIPTION),
                        new Rows(count, true, scratch.toByteArray()))),
                null,
                List.of());
    }
}
