// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.port;

import io.multimed.protocol.Frame;
import io.multimed.protocol.request.Cancel;
import io.multimed.protocol.request.CatalogCall;
import io.multimed.protocol.request.ClearPassword;
import io.multimed.protocol.request.CloseCursor;
import io.multimed.protocol.request.Commit;
import io.multimed.protocol.request.Describe;
import io.multimed.protocol.request.Download;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.ExecuteBatch;
import io.multimed.protocol.request.ExecuteScript;
import io.multimed.protocol.request.Fetch;
import io.multimed.protocol.request.Goodbye;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.request.Ping;
import io.multimed.protocol.request.Proof;
import io.multimed.protocol.request.QueryOutcome;
import io.multimed.protocol.request.Rollback;
import io.multimed.protocol.request.SavepointRequest;
import io.multimed.protocol.request.Upload;
import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.statement.CallOptions;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.statement.GeneratedKeys;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.OtherValue;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.UploadedValue;
import io.multimed.protocol.wire.Message;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.WireWriter;
import java.math.BigDecimal;
import java.sql.Types;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The valid messages that wrong input is made from. The statements use a table of their own. */
final class ValidFrames {
    /** The table of the changed statements, with the columns {@code a int PRIMARY KEY, b int, c text}. */
    static final String TABLE = "fuzzed_rows";

    private static final TransactionMode ALONE = new TransactionMode(true, false, 0);
    private static final TransactionMode READ_WRITE = new TransactionMode(false, false, 0);
    private static final TransactionMode READ_ONLY = new TransactionMode(false, true, 0);

    private ValidFrames() {}

    static Hello hello(String user) {
        return new Hello(Protocol.VERSION, "shop", user, "fuzz", new byte[18], "Europe/Berlin");
    }

    /** The messages of a login, and others that are wrong before it. */
    static List<byte[]> beforeLogin() {
        return frames(Stream.of(
                hello(PortFuzzTest.USER),
                hello("unknown"),
                new Proof(new byte[32]),
                ClearPassword.of("password".toCharArray()),
                new Cancel(5, 6, 7),
                new Goodbye(),
                new Ping(),
                execute(ALONE, "SELECT 1"),
                new Challenge(new byte[16], 4_096, new byte[36])));
    }

    static List<byte[]> afterLogin() {
        return frames(Stream.of(
                execute(ALONE, "SELECT a, b FROM fuzzed_rows WHERE a = ?", 7),
                execute(READ_ONLY, "SELECT count(*), max(c) FROM fuzzed_rows"),
                execute(READ_WRITE, "SELECT b FROM fuzzed_rows WHERE a < ?", 9),
                execute(ALONE, "UPDATE fuzzed_rows SET b = b + 1 WHERE a = ?", 3),
                execute(READ_WRITE, "UPDATE fuzzed_rows SET b = b + 1 WHERE a = ?", 4),
                execute(ALONE, "INSERT INTO fuzzed_rows VALUES (?, ?, ?) ON CONFLICT DO NOTHING", 900, 1, "x"),
                execute(READ_WRITE, "DELETE FROM fuzzed_rows WHERE a = ?", 901),
                execute(
                        ALONE,
                        "SELECT ?, ?, ?, ?, ?, ?",
                        new BigDecimal("1.5"),
                        LocalDate.of(2020, 1, 2),
                        OffsetDateTime.parse("2020-01-02T03:04:05+01:00"),
                        new UUID(1, 2),
                        new OtherValue("jsonb", "{}"),
                        new ArrayValue("int4", Types.INTEGER, List.of(1, 2))),
                execute(ALONE, "SELECT ?", new UploadedValue(1, false)),
                execute(ALONE, "SELECT repeat('x', 100000)"),
                execute(READ_ONLY, "SELECT n FROM generate_series(1, 3000) n"),
                execute(READ_WRITE, "SET work_mem = '8MB'"),
                execute(ALONE, "SHOW MULTIMED STATUS"),
                execute(ALONE, "EXPLAIN ROUTE SELECT a FROM fuzzed_rows"),
                execute(ALONE, "BEGIN"),
                execute(ALONE, "COMMIT"),
                new ExecuteBatch(
                        ALONE,
                        text("UPDATE fuzzed_rows SET c = ? WHERE a = ?"),
                        List.of(parameters("p", 1), parameters("q", 2)),
                        ExecuteOptions.DEFAULT),
                new ExecuteScript(ALONE, List.of("SELECT 1", "SELECT a FROM fuzzed_rows"), ExecuteOptions.DEFAULT),
                new ExecuteScript(
                        READ_WRITE,
                        List.of("INSERT INTO fuzzed_rows VALUES (902, 1, 'y')"),
                        new ExecuteOptions(
                                5,
                                2,
                                1,
                                GeneratedKeys.named(List.of("a")),
                                new CallOptions(List.of(new CallOptions.Out(1, Types.INTEGER)), "UTC"))),
                new Fetch(1, 10),
                new CloseCursor(1),
                new Commit(false),
                new Rollback(),
                new SavepointRequest(READ_WRITE, SavepointRequest.Action.SET, "s"),
                new SavepointRequest(READ_WRITE, SavepointRequest.Action.ROLLBACK_TO, "s"),
                new CatalogCall(ALONE, "getTables", Arrays.asList(null, "x", "%", null)),
                new CatalogCall(ALONE, "getColumns", Arrays.asList(null, "public", TABLE, "%")),
                new Ping(),
                new Cancel(1, 2, 3),
                new Goodbye(),
                new QueryOutcome(1, 2, 3, 4),
                new Describe(
                        ALONE, "SELECT a FROM fuzzed_rows WHERE b = ?", GeneratedKeys.ALL, null, true, parameters("p")),
                new Upload(1, new byte[100]),
                new Download(1),
                hello(PortFuzzTest.USER),
                new Proof(new byte[32]),
                new Done(SessionStatus.NONE)));
    }

    private static StatementText text(String sql) {
        return new StatementText(StatementText.NO_SLOT, sql.indexOf('?') >= 0, sql);
    }

    private static Execute execute(TransactionMode mode, String sql, @Nullable Object... values) {
        return new Execute(mode, text(sql), parameters(values), new ExecuteOptions(1_000, 50, 0, GeneratedKeys.NONE));
    }

    private static List<Parameter> parameters(@Nullable Object... values) {
        return Stream.of(values)
                .map(value -> new Parameter(value instanceof Integer ? Types.INTEGER : Types.OTHER, value))
                .toList();
    }

    private static List<byte[]> frames(Stream<Message> messages) {
        return messages.map(message -> Frame.encode(1, message, new WireWriter()))
                .toList();
    }
}
