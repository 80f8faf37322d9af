// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.value;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/** A warning of the engine (java.sql.SQLWarning), or a chained error. */
public record Warning(String sqlState, int vendorCode, String message, ErrorFields fields) {
    /** Creates a warning without fields. */
    public Warning(String sqlState, int vendorCode, String message) {
        this(sqlState, vendorCode, message, ErrorFields.NONE);
    }

    public void write(WireWriter out) {
        out.writeString(sqlState);
        out.writeInt(vendorCode);
        out.writeString(message);
        fields.write(out);
    }

    public static Warning read(WireReader in) {
        return new Warning(in.readString(), in.readInt(), in.readString(), ErrorFields.read(in));
    }
}
