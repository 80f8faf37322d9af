// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.response;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/** One result of a statement: a result set or an update count. */
public sealed interface Outcome {
    /** An update count, as in Statement.getUpdateCount; -1 if the engine's driver returns neither rows nor a count. */
    record Count(long rows) implements Outcome {}

    /** A result set with its first batch of rows. */
    record Rowset(ResultSetHead head, Rows first) implements Outcome {}

    /** Writes a tag that distinguishes the two kinds, then the content. */
    default void write(WireWriter out) {
        if (this instanceof Rowset rowset) {
            out.writeByte(1);
            rowset.head.write(out);
            rowset.first.write(out);
        } else if (this instanceof Count count) {
            out.writeByte(0);
            out.writeLong(count.rows);
        }
    }

    static Outcome read(WireReader in) {
        return in.readBoolean() ? new Rowset(ResultSetHead.read(in), Rows.read(in)) : new Count(in.readLong());
    }
}
