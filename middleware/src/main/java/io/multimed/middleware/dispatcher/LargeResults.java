package io.multimed.middleware.dispatcher;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.middleware.node.engine.EngineValues;
import io.multimed.protocol.Column;
import io.multimed.protocol.LargeValue;
import io.multimed.protocol.Piece;
import io.multimed.protocol.Protocol;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The large values of the rows that a session's client was sent last: kept as the engine's driver gave them until the client has asked for their bytes, or for something
 * else. Used by one thread at a time.
 */
final class LargeResults {
    private final Map<Integer, Unsent> values = new HashMap<>();
    private final List<LargeValue> announced = new ArrayList<>();
    private int last;

    /** What is left of a value. */
    private static final class Unsent {
        private final byte[] bytes;
        private int sent;

        Unsent(byte[] bytes) {
            this.bytes = bytes;
        }

        byte[] next() {
            int end = Math.min(bytes.length, sent + Protocol.PIECE);
            byte[] piece = Arrays.copyOfRange(bytes, sent, end);
            sent = end;
            return piece;
        }

        boolean isAtEnd() {
            return sent == bytes.length;
        }
    }

    /** What is to be written in place of a value: the value itself if it is not large. */
    @Nullable
    Object read(EngineValues values, ResultSet rows, int index, Column column) throws SQLException {
        return switch (column.sqlType()) {
            case Types.VARCHAR, Types.CHAR, Types.LONGVARCHAR -> text(values.utf8(rows, index));
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY -> bytes(values.read(rows, index, column));
            default -> values.read(rows, index, column);
        };
    }

    private @Nullable Object bytes(@Nullable Object value) {
        return value instanceof byte[] bytes && bytes.length > Protocol.PIECE ? announce(bytes, false) : value;
    }

    private @Nullable Object text(byte @Nullable [] utf8) {
        if (utf8 == null) {
            return null;
        }
        return utf8.length > Protocol.PIECE ? announce(utf8, true) : new String(utf8, UTF_8);
    }

    private LargeValue announce(byte[] bytes, boolean text) {
        LargeValue large = new LargeValue(++last, text, bytes.length);
        values.put(large.number(), new Unsent(bytes));
        announced.add(large);
        return large;
    }

    boolean hasAnnounced() {
        return !announced.isEmpty();
    }

    /** Those that were offered since the last call. */
    List<LargeValue> takeAnnounced() {
        List<LargeValue> taken = List.copyOf(announced);
        announced.clear();
        return taken;
    }

    /** The bytes of a value that was offered: the caller keeps them until somebody can ask for it. */
    byte[] take(LargeValue value) {
        Unsent taken = Objects.requireNonNull(values.remove(value.number()), "offered before");
        return taken.bytes;
    }

    /** The value can be asked for now. */
    void put(LargeValue value, byte[] bytes) {
        values.put(value.number(), new Unsent(bytes));
    }

    Piece next(int number) throws SQLException {
        Unsent pieces = values.get(number);
        if (pieces == null) {
            throw new SQLException("a large value was asked for too late", "08P01");
        }
        Piece piece = new Piece(pieces.next());
        if (pieces.isAtEnd()) {
            values.remove(number);
        }
        return piece;
    }

    void forget() {
        if (!values.isEmpty() || !announced.isEmpty()) {
            values.clear();
            announced.clear();
        }
    }
}
