// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.CatalogAnswer;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls a method of the master's java.sql.DatabaseMetaData. The middleware replies with {@link CatalogAnswer}.
 *
 * @param method name of the method
 * @param arguments String, Integer or Boolean values, or {@link io.multimed.protocol.value.ArrayValue} for String[] and
 * int[]
 */
public record CatalogCall(TransactionMode mode, String method, List<@Nullable Object> arguments) implements Request {
    @Override
    public MessageType type() {
        return MessageType.CATALOG_CALL;
    }

    @Override
    public void write(WireWriter out) {
        mode.write(out);
        out.writeString(method);
        out.writeList(arguments, ValueCodec::write);
    }

    static CatalogCall read(WireReader in) {
        return new CatalogCall(TransactionMode.read(in), in.readString(), arguments(in));
    }

    private static List<@Nullable Object> arguments(WireReader in) {
        return in.readList(ValueCodec::read);
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.catalogCall(this);
    }
}
