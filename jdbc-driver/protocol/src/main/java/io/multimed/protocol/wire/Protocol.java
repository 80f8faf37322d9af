package io.multimed.protocol.wire;

/** The protocol's constants. A frame is: length of the rest (4 bytes), message type (1 byte), sequence number (4 bytes), payload. */
public final class Protocol {
    /** Raised when a message changes its form. The middleware refuses clients of another version with a clear error. */
    public static final int VERSION = 8;

    /** The first bytes of a {@link io.multimed.protocol.Hello}: lets the middleware tell a client from garbage at once. */
    public static final int MAGIC = 0x4d4d4544; // "MMED"

    /** Bytes of a frame's header after the length. */
    public static final int HEADER = 5;

    /** Bytes of the length itself. */
    public static final int LENGTH = 4;

    /** Largest frame that is accepted unless configured otherwise, in bytes. */
    public static final int DEFAULT_MAX_FRAME = 64 << 20;

    /**
     * Values of parameters that are larger than this, in bytes, are sent ahead in pieces of at most this size: see {@link io.multimed.protocol.Upload}. Those of results are asked for
     * in pieces, likewise: see {@link io.multimed.protocol.Download}.
     */
    public static final int PIECE = 1 << 20;

    /** Prepared statements that one session may keep by number, see {@link io.multimed.protocol.statement.StatementText}. */
    public static final int SLOTS = 256;

    private Protocol() {}
}
