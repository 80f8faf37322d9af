package io.multimed.engine.extraction;

import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Single statements of several clients, each of which changes rows and returns none, run one after the other in one transaction and sealed and committed together: all of those
 * that did not fail happen, or none. None waits for another one's locks, and what a transaction's begin and end cost is paid once for all. For engines that undo a failed statement and go on
 * with its transaction. Used with connections that have auto-commit off.
 */
public interface SharedCommit {
    /**
     * Seals each statement under an SCN of its own, and commits.
     *
     * @param receipts of the statements that have run, in their order; not empty
     * @return as many, in the same order. All that was changed is in the first one: whoever waits for any of them sees it
     * @throws SQLException nothing has happened, unless the connection broke
     */
    List<WriteSet> sealAndCommit(Connection open, List<Receipt> receipts) throws SQLException;

    /** An order to stop a statement may come when it is over, and wait for the next one on the connection: this is the next one. */
    void takeLateCancel(Connection connection) throws SQLException;
}
