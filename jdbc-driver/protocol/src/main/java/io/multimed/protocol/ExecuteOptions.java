package io.multimed.protocol;

/**
 * How a statement runs.
 *
 * @param maxRows as in Statement.setMaxRows, 0 for no limit
 * @param fetchSize as in Statement.setFetchSize: rows per batch, 0 for the middleware's choice
 * @param timeoutSeconds as in Statement.setQueryTimeout, 0 for none
 */
public record ExecuteOptions(int maxRows, int fetchSize, int timeoutSeconds, GeneratedKeys keys) {
    public static final ExecuteOptions DEFAULT = new ExecuteOptions(0, 0, 0, GeneratedKeys.NONE);

    void write(WireWriter out) {
        boolean standard = equals(DEFAULT);
        out.writeBoolean(standard);
        if (!standard) {
            out.writeInt(maxRows);
            out.writeInt(fetchSize);
            out.writeInt(timeoutSeconds);
            keys.write(out);
        }
    }

    static ExecuteOptions read(WireReader in) {
        return in.readBoolean()
                ? DEFAULT
                : new ExecuteOptions(in.readInt(), in.readInt(), in.readInt(), GeneratedKeys.read(in));
    }
}
