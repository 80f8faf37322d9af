package io.multimed.protocol;

import java.util.List;

/** Which generated keys the application wants back: none, the engine's choice, or the named columns. */
public record GeneratedKeys(boolean wanted, List<String> columns) {
    public static final GeneratedKeys NONE = new GeneratedKeys(false, List.of());
    public static final GeneratedKeys ALL = new GeneratedKeys(true, List.of());

    void write(WireWriter out) {
        out.writeBoolean(wanted);
        if (wanted) {
            out.writeList(columns, (column, to) -> to.writeString(column));
        }
    }

    static GeneratedKeys read(WireReader in) {
        return in.readBoolean() ? new GeneratedKeys(true, in.readList(WireReader::readString)) : NONE;
    }
}
