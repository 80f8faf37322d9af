// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import java.util.List;

/**
 * A view whose rows a satellite stores (paper §3.4).
 *
 * @param view its name, or schema.name
 * @param indexes of the stored rows, each as in parentheses behind the table in CREATE INDEX
 */
public record MaterializedViewSpec(String view, List<String> indexes) {
    public MaterializedViewSpec {
        indexes = List.copyOf(indexes);
    }
}
