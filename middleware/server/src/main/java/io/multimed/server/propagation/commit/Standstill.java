// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

/**
 * Reports that the commit order has not proceeded for a while.
 *
 * @param seconds for which all commits have been waiting
 * @param what they wait for
 */
public record Standstill(long seconds, String what) {
    @Override
    public String toString() {
        return "no commit has ended for %d s: %s".formatted(seconds, what);
    }
}
