// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.result;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGResultSetMetaData;
import org.postgresql.core.Field;

/**
 * Reads values of the type timetz. For 24:00:00, pgjdbc returns an object without the offset, or fails in the binary
 * format. The last nanosecond of a day represents 24:00:00, as in values without an offset.
 */
final class PostgresZonedTimes {
    private static final String DAYS_END = "24:00:00";
    private static final long DAYS_END_MICROS = 86_400_000_000L;

    private PostgresZonedTimes() {}

    static @Nullable OffsetTime read(ResultSet rows, int index) throws SQLException {
        byte[] sent = rows.getBytes(index);
        if (sent == null) {
            return null;
        }
        boolean text = rows.getMetaData().unwrap(PGResultSetMetaData.class).getFormat(index) == Field.TEXT_FORMAT;
        ZoneOffset offset = text ? offsetOfDaysEnd(new String(sent, US_ASCII)) : offsetOfDaysEnd(ByteBuffer.wrap(sent));
        return offset == null ? rows.getObject(index, OffsetTime.class) : LocalTime.MAX.atOffset(offset);
    }

    /** Returns the offset in a text; null if the time is not 24:00:00. */
    private static @Nullable ZoneOffset offsetOfDaysEnd(String sent) {
        return sent.startsWith(DAYS_END) ? ZoneOffset.of(sent.substring(DAYS_END.length())) : null;
    }

    /** Returns the offset in a binary value, which counts the seconds to the west; null if the time is not 24:00:00. */
    private static @Nullable ZoneOffset offsetOfDaysEnd(ByteBuffer sent) {
        return sent.getLong() == DAYS_END_MICROS ? ZoneOffset.ofTotalSeconds(-sent.getInt()) : null;
    }
}
