// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.statement;

import io.multimed.protocol.value.OtherValue;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of a CallableStatement. The reply carries the OUT parameters as one row, in place of generated keys.
 *
 * @param outs the registered parameters
 * @param zone the client's time zone, a java.time.ZoneId; the engine's driver returns an OUT timestamp in the time zone
 * of the middleware, which converts it
 */
public record CallOptions(List<Out> outs, String zone) {
    /** Value of a parameter that is OUT only. */
    public static final OtherValue OUT_ONLY = new OtherValue("out", "");

    /**
     * A registered OUT or INOUT parameter.
     *
     * @param index position, from 1
     * @param sqlType a constant of java.sql.Types
     */
    public record Out(int index, int sqlType) {
        void write(WireWriter out) {
            out.writeInt(index);
            out.writeInt(sqlType);
        }

        static Out read(WireReader in) {
            return new Out(in.readInt(), in.readInt());
        }
    }

    /** Writes the options of a statement, which are null if the statement is no CallableStatement. */
    public static void write(@Nullable CallOptions call, WireWriter out) {
        out.writeBoolean(call != null);
        if (call != null) {
            out.writeList(call.outs, Out::write);
            out.writeString(call.zone);
        }
    }

    /** Reads the options of a statement; null if the statement is no CallableStatement. */
    public static @Nullable CallOptions readOptional(WireReader in) {
        return in.readBoolean() ? new CallOptions(in.readList(Out::read), in.readString()) : null;
    }
}
