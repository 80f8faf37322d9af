// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.session;

import io.multimed.engine.sql.TransactionModes;
import io.multimed.protocol.statement.TransactionMode;
import org.jspecify.annotations.Nullable;

/**
 * The transaction modes that one session has set by SQL, such as BEGIN READ ONLY, SET TRANSACTION and SET autocommit.
 * They take precedence over those of JDBC, which each request carries. Used by one thread at a time.
 */
public final class SqlTransactionModes {
    /** Whether BEGIN has opened the transaction: auto-commit is off until the transaction ends. */
    private boolean begun;

    /** The modes that BEGIN has set for the open transaction. */
    private TransactionModes ofThis = TransactionModes.NONE;

    /** Whether the mode of Connection.setReadOnly does not concern the open transaction. */
    private boolean ignoresConnection;

    /** The modes of the next transaction; valid until that transaction ends. */
    private TransactionModes ofNext = TransactionModes.NONE;

    private TransactionModes ofAll = TransactionModes.NONE;

    /** Those of all transactions when BEGIN has opened this one. */
    private TransactionModes ofAllAtBegin = TransactionModes.NONE;

    /** The modes of the next transaction before the last statement that was a transaction by itself. */
    private TransactionModes beforeSingle = TransactionModes.NONE;

    /** Whether the modes of the open transaction remain those of the next one when it ends. */
    private boolean keepsNext;

    /** Whether the last statement has begun a transaction in the engine; null if that is unknown. */
    private @Nullable Boolean begunInEngine;

    /** Whether the modes of the last statement that was a transaction by itself were read-only. */
    private boolean singleStatementReadOnly;

    private boolean autoCommitOff;

    /**
     * Records that BEGIN opens a transaction, or gives further modes to the one that it has opened.
     *
     * @param ignoresReadOnly whether the mode of Connection.setReadOnly does not concern the transaction that it opens
     */
    public void begin(TransactionModes modes, boolean ignoresReadOnly) {
        ignoresConnection = begun ? ignoresConnection : ignoresReadOnly;
        ofAllAtBegin = begun ? ofAllAtBegin : ofAll;
        ofThis = begun ? modes.over(ofThis) : modes;
        begun = true;
    }

    /**
     * Records modes of the next transaction, or of all that follow.
     *
     * @param open whether a transaction is open, whose modes remain
     */
    void declare(TransactionModes modes, boolean all, boolean open) {
        if (all) {
            ofAll = modes.over(ofAll);
            ofNext = open ? ofNext : ofNext.without(modes);
        } else {
            ofNext = modes.over(ofNext);
        }
    }

    /**
     * Records that a statement begins which is a transaction by itself, under the modes of the next transaction.
     *
     * @return whether these modes may remain after the statement: {@link #endSingleStatement} must follow
     */
    public boolean singleStatement() {
        singleStatementReadOnly = isReadOnly();
        beforeSingle = ofNext;
        ofNext = TransactionModes.NONE;
        begunInEngine = null;
        return !beforeSingle.equals(TransactionModes.NONE);
    }

    /**
     * Records that the statement has ended. If it has begun no transaction in the engine, the modes of the next
     * transaction remain. If that is unknown, they remain, too, except for READ WRITE: no change is executed that the
     * engine might refuse.
     *
     * @param begun null if it is unknown
     */
    public void endSingleStatement(@Nullable Boolean begun) {
        if (begun == null) {
            ofNext = ofNext.over(beforeSingle.withoutReadWrite());
        } else if (!begun) {
            ofNext = ofNext.over(beforeSingle);
        }
        beforeSingle = TransactionModes.NONE;
    }

    /** Records whether a statement has begun a transaction in the engine; null if that is unknown. */
    public void setBegunInEngine(@Nullable Boolean begun) {
        begunInEngine = begun;
    }

    /** Returns whether the last statement has begun a transaction in the engine; null if that is unknown. */
    public @Nullable Boolean begunInEngine() {
        return begunInEngine;
    }

    public boolean hasNextAccess() {
        return ofNext.readOnly() != null;
    }

    /**
     * Returns whether there are modes of the next transaction, which the open one may use, or which may remain after
     * the statement that runs.
     */
    boolean hasNext() {
        return !ofNext.equals(TransactionModes.NONE) || hadNext();
    }

    /** Records that the end of the open transaction, which follows, keeps these modes for the next one. */
    public void keepNext() {
        keepsNext = true;
    }

    /** Returns whether the statement that runs began under modes of the next transaction. */
    public boolean hadNext() {
        return !beforeSingle.equals(TransactionModes.NONE);
    }

    /** Returns whether the statement that runs began under the access mode of the next transaction. */
    public boolean hadNextAccess() {
        return beforeSingle.readOnly() != null;
    }

    /**
     * Records that the open transaction has ended. What remains are the modes of its BEGIN, too: on engines where SQL
     * can set those of the next transaction, BEGIN sets these, and begins that transaction.
     */
    void end() {
        TransactionModes next = ofThis.over(ofNext).withoutSnapshot();
        begun = false;
        ignoresConnection = false;
        ofThis = TransactionModes.NONE;
        ofNext = keepsNext ? next : TransactionModes.NONE;
        keepsNext = false;
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
                modes.readOnly() == null ? requested.readOnly() && !ignoresConnection : modes.readOnly(),
                modes.isolation() == 0 ? requested.isolation() : modes.isolation(),
                requested.hasRead());
    }

    TransactionModes ofAll() {
        return ofAll;
    }

    private TransactionModes current() {
        return ofThis.over(ofNext).over(begun ? ofAllAtBegin : ofAll);
    }
}
