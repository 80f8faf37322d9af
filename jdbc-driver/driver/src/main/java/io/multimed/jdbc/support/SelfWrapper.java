package io.multimed.jdbc.support;

import java.sql.SQLException;
import java.sql.Wrapper;

/** An object of JDBC that has nothing behind it: what it can be unwrapped to, it is. */
public interface SelfWrapper extends Wrapper {
    @Override
    default <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException("Cannot unwrap to " + type.getName(), SqlStates.NOT_SUPPORTED);
    }

    @Override
    default boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this);
    }
}
