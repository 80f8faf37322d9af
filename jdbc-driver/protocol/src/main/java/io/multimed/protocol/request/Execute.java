// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.Executed;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;

/**
 * Runs one statement; the SQL text may hold several statements if the engine's driver permits that. The middleware
 * replies with {@link Executed}, which carries the first batch of rows.
 */
public record Execute(TransactionMode mode, StatementText text, List<Parameter> parameters, ExecuteOptions options)
        implements Request {
    @Override
    public MessageType type() {
        return MessageType.EXECUTE;
    }

    @Override
    public void write(WireWriter out) {
        mode.write(out);
        text.write(out);
        out.writeList(parameters, Parameter::write);
        options.write(out);
    }

    static Execute read(WireReader in) {
        return new Execute(
                TransactionMode.read(in),
                StatementText.read(in),
                in.readList(Parameter::read),
                ExecuteOptions.read(in));
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.execute(this);
    }
}
