// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;

/** Runs one prepared statement once for each row of parameters. The middleware replies with {@link BatchExecuted}. */
public record ExecuteBatch(TransactionMode mode, StatementText text, List<List<Parameter>> rows, ExecuteOptions options)
        implements Request {
    @Override
    public MessageType type() {
        return MessageType.EXECUTE_BATCH;
    }

    @Override
    public void write(WireWriter out) {
        mode.write(out);
        text.write(out);
        out.writeList(rows, (row, to) -> to.writeList(row, Parameter::write));
        options.write(out);
    }

    static ExecuteBatch read(WireReader in) {
        return new ExecuteBatch(
                TransactionMode.read(in),
                StatementText.read(in),
                in.readList(row -> row.readList(Parameter::read)),
                ExecuteOptions.read(in));
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.executeBatch(this);
    }
}
