// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.statement;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;

/**
 * The generated keys that the application requested.
 *
 * @param wanted whether any are requested; without columns and indexes, the engine chooses
 * @param columns requested columns by name
 * @param indexes requested columns by position, from 1
 */
public record GeneratedKeys(boolean wanted, List<String> columns, List<Integer> indexes) {
    public static final GeneratedKeys NONE = new GeneratedKeys(false, List.of(), List.of());
    public static final GeneratedKeys ALL = new GeneratedKeys(true, List.of(), List.of());

    public static GeneratedKeys named(List<String> columns) {
        return new GeneratedKeys(true, columns, List.of());
    }

    public static GeneratedKeys numbered(List<Integer> indexes) {
        return new GeneratedKeys(true, List.of(), indexes);
    }

    public void write(WireWriter out) {
        out.writeBoolean(wanted);
        if (wanted) {
            out.writeList(columns, (column, to) -> to.writeString(column));
            out.writeList(indexes, (index, to) -> to.writeInt(index));
        }
    }

    public static GeneratedKeys read(WireReader in) {
        return in.readBoolean()
                ? new GeneratedKeys(true, in.readList(WireReader::readString), in.readList(WireReader::readInt))
                : NONE;
    }
}
