package io.multimed.server.propagation.commit;

/**
 * How commits were grouped.
 *
 * @param groups commit groups that began
 * @param commits transactions in them, whether they committed in the end or not
 * @param inside of these, single statements that ran inside their group, too
 */
public record CommitCounts(long groups, long commits, long inside) {
    /** What came after an earlier count. */
    public CommitCounts since(CommitCounts earlier) {
        return new CommitCounts(groups - earlier.groups, commits - earlier.commits, inside - earlier.inside);
    }
}
