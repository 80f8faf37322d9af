// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.response;

import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * Reply to {@link io.multimed.protocol.request.CatalogCall}: a plain value, or all rows of a result set.
 *
 * @param value the value that the method returned; null for a result set
 * @param rows the result set; null for a plain value
 */
public record CatalogAnswer(SessionStatus status, @Nullable Object value, Outcome.@Nullable Rowset rows)
        implements Response {
    @Override
    public MessageType type() {
        return MessageType.CATALOG_ANSWER;
    }

    @Override
    public CatalogAnswer withStatus(SessionStatus other) {
        return new CatalogAnswer(other, value, rows);
    }

    @Override
    public void write(WireWriter out) {
        status.write(out);
        ValueCodec.write(value, out);
        Executed.writeKeys(rows, out);
    }

    static CatalogAnswer read(WireReader in) {
        return new CatalogAnswer(SessionStatus.read(in), ValueCodec.read(in), Executed.readKeys(in));
    }
}
