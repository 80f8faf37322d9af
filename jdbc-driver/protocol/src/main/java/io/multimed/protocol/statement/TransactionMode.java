// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.statement;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Settings of the application for its transactions. Every statement carries them. setAutoCommit, setReadOnly and
 * setTransactionIsolation therefore need no round trip, and do not determine a route when a connection pool calls them.
 *
 * @param isolation a constant of java.sql.Connection, or 0 for the engine's default
 * @param hasRead whether statements of the open transaction have run although no node has begun it
 */
public record TransactionMode(boolean autoCommit, boolean readOnly, int isolation, boolean hasRead) {
    public static final TransactionMode DEFAULT = new TransactionMode(true, false, 0);

    public TransactionMode(boolean autoCommit, boolean readOnly, int isolation) {
        this(autoCommit, readOnly, isolation, false);
    }

    public void write(WireWriter out) {
        out.writeByte((autoCommit ? 1 : 0) | (readOnly ? 2 : 0) | (hasRead ? 4 : 0));
        out.writeByte(isolation);
    }

    public static TransactionMode read(WireReader in) {
        int flags = in.readByte();
        return new TransactionMode((flags & 1) != 0, (flags & 2) != 0, in.readByte(), (flags & 4) != 0);
    }
}
