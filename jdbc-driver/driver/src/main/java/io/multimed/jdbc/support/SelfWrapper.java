// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.support;

import java.sql.SQLException;
import java.sql.Wrapper;

/**
 * Implements unwrapping for an object that wraps no other object: the object can be unwrapped to its own types only.
 * Any other type is refused, since no object of an engine's driver exists in this process.
 */
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
