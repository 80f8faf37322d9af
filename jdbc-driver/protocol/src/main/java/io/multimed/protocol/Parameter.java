package io.multimed.protocol;

import org.jspecify.annotations.Nullable;

/**
 * A parameter of a prepared statement.
 *
 * @param sqlType the java.sql.Types constant that the application's setter implies (setInt: INTEGER), so that the engine's driver binds it alike
 * @param value of the classes of {@link ValueCodec}
 */
public record Parameter(int sqlType, @Nullable Object value) {
    void write(WireWriter out) {
        out.writeInt(sqlType);
        ValueCodec.write(value, out);
    }

    static Parameter read(WireReader in) {
        return new Parameter(in.readInt(), ValueCodec.read(in));
    }
}
