// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.engine.dialect.EngineValues;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.response.Piece;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.LargeValue;
import io.multimed.protocol.wire.Protocol;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The large values of the rows that were last sent to a session's client. A value remains in memory, within the budget
 * of all clients, or in a file until the client has requested its bytes, or has sent another request. Used by one
 * thread at a time.
 */
public final class LargeResults {
    private static final Logger LOG = LoggerFactory.getLogger(LargeResults.class);

    private final MemoryBudget budget;
    private final UploadFolder folder;
    private final Map<Integer, Unsent> values = new HashMap<>();
    private final List<LargeValue> announced = new ArrayList<>();
    private int last;

    /** The remaining bytes of a value. Closed once: at the end of the value, or when the value is discarded. */
    private interface Unsent {
        byte[] next() throws SQLException;

        boolean isAtEnd();

        void close();
    }

    /** A value in memory; counts against the budget. */
    private static final class InMemory implements Unsent {
        private final byte[] bytes;
        private final MemoryBudget budget;
        private int sent;

        InMemory(byte[] bytes, MemoryBudget budget) {
            this.bytes = bytes;
            this.budget = budget;
        }

        @Override
        public byte[] next() {
            int end = Math.min(bytes.length, sent + Protocol.PIECE);
            byte[] piece = Arrays.copyOfRange(bytes, sent, end);
            sent = end;
            return piece;
        }

        @Override
        public boolean isAtEnd() {
            return sent == bytes.length;
        }

        @Override
        public void close() {
            budget.give(bytes.length);
        }
    }

    /** A value in a file, for which the budget had no room. */
    private static final class Filed implements Unsent {
        private final Path path;
        private final InputStream file;
        private long left;

        Filed(UploadFolder folder, byte[] bytes) throws SQLException {
            try {
                path = folder.newFile();
                Files.write(path, bytes);
                file = Files.newInputStream(path, StandardOpenOption.DELETE_ON_CLOSE);
                left = bytes.length;
            } catch (IOException e) {
                throw failed(e);
            }
        }

        @Override
        public byte[] next() throws SQLException {
            try {
                byte[] piece = file.readNBytes((int) Math.min(left, Protocol.PIECE));
                left -= piece.length;
                return piece;
            } catch (IOException e) {
                throw failed(e);
            }
        }

        @Override
        public boolean isAtEnd() {
            return left == 0;
        }

        @Override
        public void close() {
            try {
                file.close();
            } catch (IOException e) {
                LOG.warn("a file with a large value cannot be deleted: {}", e.toString());
            }
        }

        private static SQLException failed(IOException cause) {
            return new SQLException(
                    "the middleware cannot store a large value in %s: %s"
                            .formatted(System.getProperty("java.io.tmpdir"), cause.getMessage()),
                    "58030",
                    cause);
        }
    }

    /**
     * @param budget memory that all clients share
     * @param folder stores values for which the budget has no room
     */
    public LargeResults(MemoryBudget budget, UploadFolder folder) {
        this.budget = budget;
        this.folder = folder;
    }

    private Unsent keep(byte[] bytes) throws SQLException {
        return budget.tryTake(bytes.length) ? new InMemory(bytes, budget) : new Filed(folder, bytes);
    }

    /** Returns the form of a value in its row: the value itself, or a reference if the value is large. */
    @Nullable
    Object read(EngineValues values, ResultSet rows, int index, Column column) throws SQLException {
        return switch (column.sqlType()) {
            case Types.VARCHAR, Types.CHAR, Types.LONGVARCHAR -> text(values.utf8(rows, index));
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY -> bytes(values.read(rows, index, column));
            default -> values.read(rows, index, column);
        };
    }

    private @Nullable Object bytes(@Nullable Object value) throws SQLException {
        return value instanceof byte[] bytes && bytes.length > Protocol.PIECE ? announce(bytes, false) : value;
    }

    private @Nullable Object text(byte @Nullable [] utf8) throws SQLException {
        if (utf8 == null) {
            return null;
        }
        return utf8.length > Protocol.PIECE ? announce(utf8, true) : new String(utf8, UTF_8);
    }

    private LargeValue announce(byte[] bytes, boolean text) throws SQLException {
        LargeValue large = new LargeValue(++last, text, bytes.length);
        values.put(large.number(), keep(bytes));
        announced.add(large);
        return large;
    }

    boolean hasAnnounced() {
        return !announced.isEmpty();
    }

    /** Returns the values that were announced to the client since the last call. */
    List<LargeValue> takeAnnounced() {
        List<LargeValue> taken = List.copyOf(announced);
        announced.clear();
        return taken;
    }

    /** Receives the pieces of a value. */
    @FunctionalInterface
    interface PieceReader {
        void accept(byte[] piece) throws IOException;
    }

    /**
     * Passes the bytes of an offered value to a reader; the caller stores them until a client can request the value.
     */
    void take(LargeValue value, PieceReader to) throws SQLException, IOException {
        Unsent taken = Objects.requireNonNull(values.remove(value.number()), "offered before");
        try {
            while (!taken.isAtEnd()) {
                to.accept(taken.next());
            }
        } finally {
            taken.close();
        }
    }

    /** Keeps a value that was stored elsewhere, so that the client can request it. */
    void put(LargeValue value, byte[] bytes) throws SQLException {
        values.put(value.number(), keep(bytes));
    }

    public Piece next(int number) throws SQLException {
        Unsent pieces = values.get(number);
        if (pieces == null) {
            throw new SQLException(
                    "the large value is no longer available: the client has sent another request", "08P01");
        }
        Piece piece = new Piece(pieces.next());
        if (pieces.isAtEnd()) {
            values.remove(number);
            pieces.close();
        }
        return piece;
    }

    public void forget() {
        if (!values.isEmpty() || !announced.isEmpty()) {
            values.values().forEach(Unsent::close);
            values.clear();
            announced.clear();
        }
    }
}
