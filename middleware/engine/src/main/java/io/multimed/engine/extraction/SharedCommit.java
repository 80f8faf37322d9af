package io.multimed.engine.extraction;

import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Seals and commits single statements of several clients, each of which changes rows and returns none, in one
 * transaction (architecture 4.6). The statements run one after the other. All statements that did not fail are
 * committed together, or none of them. No statement waits for locks of another one, and all share the cost of the
 * transaction's begin and end. For engines that undo a failed statement and continue the transaction. Used with
 * connections that have auto-commit off.
 */
public interface SharedCommit {
    /**
     * Seals each statement under an SCN of its own, and commits.
     *
     * @param receipts of the statements that have run, in their order; not empty
     * @return one WriteSet for each receipt, in the same order. The first one contains all changes: a read that waits
     *     for any of these SCNs sees them
     * @throws SQLException nothing was committed, unless the connection broke: then the outcome is unknown
     */
    List<WriteSet> sealAndCommit(Connection open, List<Receipt> receipts) throws SQLException;

    /**
     * Consumes a cancellation that arrived after the statement for which it was meant: the engine would apply it to the
     * next statement on the connection.
     */
    void takeLateCancel(Connection connection) throws SQLException;
}
