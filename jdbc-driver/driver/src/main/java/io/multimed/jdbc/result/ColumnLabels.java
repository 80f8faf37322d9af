// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import io.multimed.protocol.value.Column;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds columns of a result by their names, without regard to case. Immutable. */
final class ColumnLabels {
    private final Map<String, Integer> labels = new HashMap<>();

    /** Labels after the alias of the column's table and a dot, on engines whose driver accepts the alias. */
    private final Map<String, Integer> qualified = new HashMap<>();

    ColumnLabels(List<Column> columns) {
        for (int i = columns.size(); i > 0; i--) {
            Column column = columns.get(i - 1);
            labels.put(folded(column.label()), i);
            if (!column.alias().isEmpty()) {
                qualified.put(folded(column.alias() + "." + column.label()), i);
            }
        }
    }

    private static String folded(String name) {
        return name.toLowerCase(Locale.US);
    }

    /** Returns the index of the first column with this label, otherwise with this alias and label; null if none. */
    @Nullable
    Integer find(String name) {
        Integer index = labels.get(name);
        if (index == null) {
            String folded = folded(name);
            index = labels.get(folded);
            return index == null ? qualified.get(folded) : index;
        }
        return index;
    }
}
