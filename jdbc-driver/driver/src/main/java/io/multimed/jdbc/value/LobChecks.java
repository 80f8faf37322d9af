package io.multimed.jdbc.value;

import io.multimed.jdbc.support.SqlStates;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What large values in memory refuse. Positions count from 1. */
final class LobChecks {
    private LobChecks() {}

    /** What a large value holds, unless it was freed. */
    static <T> T held(@Nullable T content) throws SQLException {
        if (content == null) {
            throw new SQLException("free() was called on this LOB previously", SqlStates.OBJECT_CLOSED);
        }
        return content;
    }

    static void checkPosition(long position) throws SQLException {
        if (position < 1 || position > Integer.MAX_VALUE) {
            throw new SQLException("LOB positioning offsets start at 1.", SqlStates.WRONG_PARAMETER);
        }
    }

    static void checkLength(int length) throws SQLException {
        if (length < 0) {
            throw new SQLException("a length of %d".formatted(length), SqlStates.WRONG_PARAMETER);
        }
    }

    /**
     * Whether a part is one of what is to be written.
     *
     * @param unit for the message
     */
    static void checkPart(int offset, int length, int of, String unit) throws SQLException {
        if (offset < 0 || length < 0 || length > of - offset) {
            throw new SQLException(
                    "%d %s from %d of %d".formatted(length, unit, offset, of), SqlStates.WRONG_PARAMETER);
        }
    }
}
