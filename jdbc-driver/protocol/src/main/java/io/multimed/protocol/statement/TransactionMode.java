package io.multimed.protocol.statement;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * What the application has asked for its transactions. It travels with every statement, so that setAutoCommit, setReadOnly and
 * setTransactionIsolation cost no round trip and, called early or late by a pool, fix no route.
 *
 * @param isolation a constant of java.sql.Connection, or 0 for the engine's default
 */
public record TransactionMode(boolean autoCommit, boolean readOnly, int isolation) {
    public static final TransactionMode DEFAULT = new TransactionMode(true, false, 0);

    public void write(WireWriter out) {
        out.writeByte((autoCommit ? 1 : 0) | (readOnly ? 2 : 0));
        out.writeByte(isolation);
    }

    public static TransactionMode read(WireReader in) {
        int flags = in.readByte();
        return new TransactionMode((flags & 1) != 0, (flags & 2) != 0, in.readByte());
    }
}
