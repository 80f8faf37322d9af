// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.statement;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * Options of a statement.
 *
 * @param maxRows as in Statement.setLargeMaxRows; 0 for no limit
 * @param fetchSize as in Statement.setFetchSize: rows per batch; 0 lets the middleware choose
 * @param timeoutSeconds as in Statement.setQueryTimeout; 0 for no limit
 * @param call options of a CallableStatement; otherwise null
 */
public record ExecuteOptions(
        long maxRows,
        int fetchSize,
        int timeoutSeconds,
        GeneratedKeys keys,
        @Nullable CallOptions call) {
    public static final ExecuteOptions DEFAULT = new ExecuteOptions(0, 0, 0, GeneratedKeys.NONE);

    /** Creates the options of a statement that is not a CallableStatement. */
    public ExecuteOptions(long maxRows, int fetchSize, int timeoutSeconds, GeneratedKeys keys) {
        this(maxRows, fetchSize, timeoutSeconds, keys, null);
    }

    /** Returns the options for a statement that is executed like a prepared statement. */
    public ExecuteOptions withoutCall() {
        return new ExecuteOptions(maxRows, fetchSize, timeoutSeconds, keys);
    }

    public void write(WireWriter out) {
        boolean standard = equals(DEFAULT);
        out.writeBoolean(standard);
        if (!standard) {
            out.writeLong(maxRows);
            out.writeInt(fetchSize);
            out.writeInt(timeoutSeconds);
            keys.write(out);
            CallOptions.write(call, out);
        }
    }

    public static ExecuteOptions read(WireReader in) {
        return in.readBoolean()
                ? DEFAULT
                : new ExecuteOptions(
                        in.readLong(),
                        in.readInt(),
                        in.readInt(),
                        GeneratedKeys.read(in),
                        CallOptions.readOptional(in));
    }
}
