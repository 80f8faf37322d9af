// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import java.util.Set;

/**
 * The tables that a node holds.
 *
 * @param all whether the node holds a full copy
 * @param names otherwise the tables, as {@code table} or {@code schema.table}, in lower case; a name that contains
 *     {@code *} or {@code ?} is a pattern, which also stands for tables that are created or renamed later
 */
public record Tables(boolean all, Set<String> names) {
    public static final Tables ALL = new Tables(true, Set.of());

    public Tables {
        names = Set.copyOf(names);
    }
}
