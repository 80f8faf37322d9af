// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.routing;

import io.multimed.engine.sql.TransactionModes;
import io.multimed.protocol.session.Route;

/**
 * Describes where and how a statement runs (paper §3.3.2). {@link StatementRouter} creates plans, {@link
 * io.multimed.server.dispatcher.execution.PlanExecutor} executes them.
 *
 * <p>A plan has no effect until an executor visits it. {@link Visitor} has one method for each plan, so that the
 * compiler reports a plan without an executor.
 */
public sealed interface StatementPlan {
    /** Calls the method of the visitor for this plan. */
    void execute(Visitor visitor);

    /** Executes plans. */
    interface Visitor {
        void runWhereBound();

        void readOnSatellite();

        void readCatalog();

        void runOnMaster(Route why);

        void continueOnMaster(StatementPlan then);

        void moveToMaster(Route why);

        void runOnAllNodes(StatementPlan then);

        void runOutsideTransaction();

        void begin(TransactionModes modes);

        void beginWithSnapshot(TransactionModes modes);

        void declareModes(TransactionModes modes, boolean allTransactions);

        void switchAutoCommit(boolean on);

        void commit();

        void rollback();

        void discardSession();

        void acknowledge();

        void showStatus();

        void administer();

        void refuse(String message, String sqlState);
    }

    /** Runs on the connection that the session has already, for its open transaction or its session state. */
    record RunWhereBound() implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.runWhereBound();
        }
    }

    /** Begins a read-only transaction, or runs a read that stands alone, on a satellite. */
    record ReadOnSatellite() implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.readOnSatellite();
        }
    }

    /** Reads the engine's catalog on the master, on a connection of its own. */
    record ReadCatalog() implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.readCatalog();
        }
    }

    /** Begins a transaction, or runs a statement that is one by itself, on the master. */
    record RunOnMaster(Route why) implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.runOnMaster(why);
        }
    }

    /** Ends the read-only transaction's snapshot on the satellite, and continues the transaction by another plan. */
    record ContinueOnMaster(StatementPlan then) implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.continueOnMaster(then);
        }
    }

    /**
     * Continues a read-write transaction, which has only read on a satellite, on the master, if nothing has changed
     * that the transaction has read.
     */
    record MoveToMaster(Route why) implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.moveToMaster(why);
        }
    }

    /**
     * Runs by another plan, on the master, and puts the text of the statement into the WriteSet, so that each satellite
     * runs the statement, too.
     */
    record RunOnAllNodes(StatementPlan then) implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.runOnAllNodes(then);
        }
    }

    /** Runs on the master outside of transactions, most of all DDL that the engine commits by itself. */
    record RunOutsideTransaction() implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.runOutsideTransaction();
        }
    }

    /** Opens a transaction; the first statement in it finds the node. */
    record Begin(TransactionModes modes) implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.begin(modes);
        }
    }

    /** Opens a transaction on the master, whose snapshot is taken at once. */
    record BeginWithSnapshot(TransactionModes modes) implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.beginWithSnapshot(modes);
        }
    }

    /** Sets the modes of the next transaction, or of all that follow. */
    record DeclareModes(TransactionModes modes, boolean allTransactions) implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.declareModes(modes, allTransactions);
        }
    }

    /** Switches auto-commit by SQL; switching it on commits the open transaction. */
    record SwitchAutoCommit(boolean on) implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.switchAutoCommit(on);
        }
    }

    record Commit() implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.commit();
        }
    }

    record Rollback() implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.rollback();
        }
    }

    /** Discards the state of the engine's session together with its connection. */
    record DiscardSession() implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.discardSession();
        }
    }

    /** Answers as the engine would, and does nothing. */
    record Acknowledge() implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.acknowledge();
        }
    }

    /** Answers SHOW MULTIMED. */
    record ShowStatus() implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.showStatus();
        }
    }

    /** Runs a statement of an administrator. */
    record Administer() implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.administer();
        }
    }

    /** Answers with an error. */
    record Refuse(String message, String sqlState) implements StatementPlan {
        @Override
        public void execute(Visitor visitor) {
            visitor.refuse(message, sqlState);
        }
    }
}
