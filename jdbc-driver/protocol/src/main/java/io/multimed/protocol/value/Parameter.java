// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.value;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * A parameter of a prepared statement.
 *
 * @param sqlType the constant of java.sql.Types that the application's setter implies (setInt: INTEGER), so that the
 * engine's driver binds the value in the same way
 * @param value a value of the classes of {@link ValueCodec}
 */
public record Parameter(int sqlType, @Nullable Object value) {
    public void write(WireWriter out) {
        out.writeInt(sqlType);
        ValueCodec.write(value, out);
    }

    public static Parameter read(WireReader in) {
        return new Parameter(in.readInt(), ValueCodec.read(in));
    }
}
