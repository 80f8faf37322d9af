package io.multimed.protocol.session;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/** What the master's own driver says it is: the answers of DatabaseMetaData that tools decide by. */
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
