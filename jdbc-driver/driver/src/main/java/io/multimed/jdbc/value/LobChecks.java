// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import io.multimed.jdbc.support.SqlStates;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Checks the arguments of methods of Blob and Clob. Positions count from 1. */
final class LobChecks {
    private LobChecks() {}

    /** Returns the content of a value, unless the value was freed. */
    static <T> T requireNotFreed(@Nullable T content) throws SQLException {
        if (content == null) {
            throw new SQLException("free() was called on this LOB previously", SqlStates.OBJECT_NOT_IN_STATE);
        }
        return content;
    }

    static void checkPosition(long position) throws SQLException {
        if (position < 1 || position > Integer.MAX_VALUE) {
            throw new SQLException("LOB positioning offsets start at 1.", SqlStates.INVALID_PARAMETER);
        }
    }

    static void checkLength(long length) throws SQLException {
        if (length < 0) {
            throw new SQLException(
                    "invalid length %d: it must be at least 0".formatted(length), SqlStates.INVALID_PARAMETER);
        }
    }

    /** Checks that a value remains short enough for an array when a part is written at a position. */
    static void checkEnd(long position, int length) throws SQLException {
        if (position - 1 + length > Integer.MAX_VALUE - 8) {
            throw new SQLException(
                    "a LOB in memory has at most %d bytes or characters".formatted(Integer.MAX_VALUE - 8),
                    SqlStates.INVALID_PARAMETER);
        }
    }

    /**
     * Checks that a part lies within the data to be written.
     *
     * @param of length of the data
     * @param unit for the message
     */
    static void checkPart(int offset, int length, int of, String unit) throws SQLException {
        if (offset < 0 || length < 0 || length > of - offset) {
            throw new SQLException(
                    "cannot write %d %s from offset %d: there are %d".formatted(length, unit, offset, of),
                    SqlStates.INVALID_PARAMETER);
        }
    }
}
