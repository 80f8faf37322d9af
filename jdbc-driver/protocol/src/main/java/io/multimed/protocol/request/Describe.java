// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.Described;
import io.multimed.protocol.statement.CallOptions;
import io.multimed.protocol.statement.GeneratedKeys;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the parameters and columns of a statement without running the statement. The middleware replies with {@link
 * Described}.
 *
 * @param sql text of a prepared statement
 * @param keys the generated keys that the statement returns: on some engines they are its columns
 * @param call options of a CallableStatement; otherwise null
 * @param ofResult whether the origin of a result is asked for, which the statement has returned: if the statement is no
 *     longer possible, because a table has been dropped, the answer contains nothing, and no transaction fails
 * @param parameters have the types of the parameters that are set, from which the engine may derive other types; their
 *     values do not matter
 */
public record Describe(
        TransactionMode mode,
        String sql,
        GeneratedKeys keys,
        @Nullable CallOptions call,
        boolean ofResult,
        List<Parameter> parameters)
        implements Request {
    @Override
    public MessageType type() {
        return MessageType.DESCRIBE;
    }

    @Override
    public void write(WireWriter out) {
        mode.write(out);
        out.writeString(sql);
        keys.write(out);
        CallOptions.write(call, out);
        out.writeBoolean(ofResult);
        out.writeList(parameters, Parameter::write);
    }

    static Describe read(WireReader in) {
        return new Describe(
                TransactionMode.read(in),
                in.readString(),
                GeneratedKeys.read(in),
                CallOptions.readOptional(in),
                in.readBoolean(),
                in.readList(Parameter::read));
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.describe(this);
    }
}
