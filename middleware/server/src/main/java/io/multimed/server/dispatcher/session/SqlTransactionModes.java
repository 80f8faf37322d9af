// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.session;

import io.multimed.engine.sql.TransactionModes;
import io.multimed.protocol.statement.TransactionMode;

/**
 * The transaction modes that one session has set by SQL, such as BEGIN READ ONLY, SET TRANSACTION and SET autocommit.
 * They take precedence over those of JDBC, which each request carries. Used by one thread at a time.
 */
public final class SqlTransactionModes {
    /** Whether BEGIN has opened the transaction: auto-commit is off until the transaction ends. */
    private boolean begun;

    /** The modes that BEGIN has set for the open transaction. */
    private TransactionModes ofThis = TransactionModes.NONE;

    /** The modes of the next transaction; valid until that transaction ends. */
    private TransactionModes ofNext = TransactionModes.NONE;

    private TransactionModes ofAll = TransactionModes.NONE;

    /** Whether the modes of the last statement that was a transaction by itself were read-only. */
    private boolean singleStatementReadOnly;

    private boolean autoCommitOff;

    /** Records that BEGIN opens a transaction. */
    public void begin(TransactionModes modes) {
        begun = true;
        ofThis = modes;
    }

    /** Records modes of the next transaction, or of all that follow. */
    public void declare(TransactionModes modes, boolean all) {
        if (all) {
            ofAll = modes.over(ofAll);
        } else {
            ofNext = modes.over(ofNext);
        }
    }

    /** Records that a statement which is a transaction by itself has used up the modes of the next transaction. */
    public void singleStatement() {
        singleStatementReadOnly = isReadOnly();
        ofNext = TransactionModes.NONE;
    }

    /** Records that the open transaction has ended. */
    void end() {
        begun = false;
        ofThis = TransactionModes.NONE;
        ofNext = TransactionModes.NONE;
    }

    /** Returns whether SQL has declared the last statement that was a transaction by itself read-only. */
    public boolean isSingleStatementReadOnly() {
        return singleStatementReadOnly;
    }

    /** Returns whether SQL has declared the open transaction, or the one that begins now, read-only. */
    public boolean isReadOnly() {
        return Boolean.TRUE.equals(current().readOnly());
    }

    /** Returns whether SQL has declared the open transaction, or the one that begins now, read-write. */
    public boolean isReadWrite() {
        return Boolean.FALSE.equals(current().readOnly());
    }

    /**
     * Returns whether SQL has set the isolation level of this transaction. The level must then not remain on the
     * connection.
     */
    public boolean isIsolationSet() {
        return current().isolation() != 0;
    }

    /** Returns whether the end of the transaction changes the modes. */
    boolean endWithTransaction() {
        return begun || !ofThis.equals(TransactionModes.NONE) || !ofNext.equals(TransactionModes.NONE);
    }

    public boolean isBegun() {
        return begun;
    }

    public void setAutoCommitOff(boolean off) {
        autoCommitOff = off;
    }

    public boolean isAutoCommitOff() {
        return autoCommitOff;
    }

    /** Returns the mode of the open transaction, or of the one that the statement begins. */
    public TransactionMode over(TransactionMode requested) {
        TransactionModes modes = current();
        return new TransactionMode(
                requested.autoCommit() && !begun && !autoCommitOff,
                modes.readOnly() == null ? requested.readOnly() : modes.readOnly(),
                modes.isolation() == 0 ? requested.isolation() : modes.isolation(),
                requested.hasRead());
    }

    /** Returns the modes that apply to all transactions. */
    TransactionModes ofAll() {
        return ofAll;
    }

    private TransactionModes current() {
        return ofThis.over(ofNext).over(ofAll);
    }
}
