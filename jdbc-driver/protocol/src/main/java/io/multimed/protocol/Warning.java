package io.multimed.protocol;

/** A warning of the engine (java.sql.SQLWarning). */
public record Warning(String sqlState, int vendorCode, String message) {
    void write(WireWriter out) {
        out.writeString(sqlState);
        out.writeInt(vendorCode);
        out.writeString(message);
    }

    static Warning read(WireReader in) {
        return new Warning(in.readString(), in.readInt(), in.readString());
    }
}
