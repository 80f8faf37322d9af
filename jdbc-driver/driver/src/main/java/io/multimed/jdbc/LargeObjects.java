package io.multimed.jdbc;

import java.sql.Blob;
import java.sql.NClob;

/** Large objects that are values in memory, for conversions of engines. */
public final class LargeObjects {
    private LargeObjects() {}

    public static Blob blob(byte[] bytes) {
        return new JdbcBlob(bytes);
    }

    public static NClob clob(String text) {
        return new JdbcClob(text);
    }
}
