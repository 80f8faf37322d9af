// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

/**
 * An observation that the history's isolation level forbids.
 *
 * @param name in the literature
 * @param sentence the transactions, by the indexes of their first lines, and the reason why each one precedes the next
 */
public record Anomaly(String name, String sentence) {
    @Override
    public String toString() {
        return name + ": " + sentence;
    }
}
