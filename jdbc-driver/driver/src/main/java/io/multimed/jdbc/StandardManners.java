package io.multimed.jdbc;

import io.multimed.protocol.Parameter;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Of an engine that does not say otherwise. */
final class StandardManners implements Manners {
    @Override
    public Parameter object(@Nullable Object value) throws SQLException {
        return Binding.object(value);
    }

    @Override
    public Parameter object(@Nullable Object value, int sqlType, int scale) throws SQLException {
        return Binding.object(value, sqlType, scale);
    }
}
