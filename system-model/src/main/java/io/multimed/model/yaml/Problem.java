// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.yaml;

/**
 * A mistake in a System Model.
 *
 * @param file the file, as the user named it
 * @param line line of the mistake, from 1
 * @param key path of the key, such as {@code nodes[1].cores}; empty if the mistake concerns the whole file
 * @param wrong description of the mistake
 * @param right description of a correct value, or of an action; may be empty
 */
public record Problem(String file, int line, String key, String wrong, String right) {
    /** Returns one line for users: {@code file:line: key: wrong; right}. */
    @Override
    public String toString() {
        return "%s:%d: %s%s%s"
                .formatted(file, line, key.isEmpty() ? "" : key + ": ", wrong, right.isEmpty() ? "" : "; " + right);
    }
}
