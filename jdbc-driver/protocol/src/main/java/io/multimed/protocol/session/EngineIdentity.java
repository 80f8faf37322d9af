// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.session;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/** Identity of the master's engine: the values of DatabaseMetaData by which tools select their dialect. */
public record EngineIdentity(
        String productName, String productVersion, int majorVersion, int minorVersion, int defaultIsolation) {
    public void write(WireWriter out) {
        out.writeString(productName);
        out.writeString(productVersion);
        out.writeInt(majorVersion);
        out.writeInt(minorVersion);
        out.writeInt(defaultIsolation);
    }

    public static EngineIdentity read(WireReader in) {
        return new EngineIdentity(in.readString(), in.readString(), in.readInt(), in.readInt(), in.readInt());
    }
}
