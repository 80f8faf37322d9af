// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;

/**
 * Runs several statements without parameters (Statement.addBatch). The middleware replies with {@link BatchExecuted}.
 */
public record ExecuteScript(TransactionMode mode, List<String> statements, ExecuteOptions options) implements Request {
    @Override
    public MessageType type() {
        return MessageType.EXECUTE_SCRIPT;
    }

    @Override
    public void write(WireWriter out) {
        mode.write(out);
        out.writeList(statements, (statement, to) -> to.writeString(statement));
        options.write(out);
    }

    static ExecuteScript read(WireReader in) {
        return new ExecuteScript(
                TransactionMode.read(in), in.readList(WireReader::readString), ExecuteOptions.read(in));
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.executeScript(this);
    }
}
