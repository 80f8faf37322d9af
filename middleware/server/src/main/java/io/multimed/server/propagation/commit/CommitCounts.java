// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

/**
 * Counters of commit groups since the start.
 *
 * @param groups number of commit groups that began
 * @param commits number of transactions in these groups, including those that failed
 * @param inside number of these transactions that were single statements executed inside their group
 */
public record CommitCounts(long groups, long commits, long inside) {
    public CommitCounts since(CommitCounts earlier) {
        return new CommitCounts(groups - earlier.groups, commits - earlier.commits, inside - earlier.inside);
    }
}
