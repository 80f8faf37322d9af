package io.multimed.protocol;

/** What the master's own driver says it is: the answers of DatabaseMetaData that tools decide by. */
public record EngineIdentity(
        String productName, String productVersion, int majorVersion, int minorVersion, int defaultIsolation) {
    void write(WireWriter out) {
        out.writeString(productName);
        out.writeString(productVersion);
        out.writeInt(majorVersion);
        out.writeInt(minorVersion);
        out.writeInt(defaultIsolation);
    }

    static EngineIdentity read(WireReader in) {
        return new EngineIdentity(in.readString(), in.readString(), in.readInt(), in.readInt(), in.readInt());
    }
}
