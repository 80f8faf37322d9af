// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.sql.TransactionModes;
import io.multimed.protocol.session.Route;
import io.multimed.server.dispatcher.routing.StatementPlan;

/** Describes a plan for users instead of executing the plan. */
final class PlanText implements StatementPlan.Visitor {
    private String text = "";
    private boolean satellite;

    static PlanText of(StatementPlan plan) {
        PlanText text = new PlanText();
        plan.execute(text);
        return text;
    }

    static String onMaster(Route why) {
        return "on the master: " + why;
    }

    static String refused(String message, String sqlState) {
        return "nowhere: refused (%s): %s".formatted(sqlState, message);
    }

    /** Returns whether a satellite may run the statement. */
    boolean isOnSatellite() {
        return satellite;
    }

    @Override
    public String toString() {
        return text;
    }

    @Override
    public void runWhereBound() {
        text = "on the node that the session has already, for its open transaction or its session state";
    }

    @Override
    public void readOnSatellite() {
        satellite = true;
        text = "on a satellite that is fresh enough, or from the result cache";
    }

    @Override
    public void readCatalog() {
        text = onMaster(Route.CATALOG);
    }

    @Override
    public void runOnMaster(Route why) {
        text = onMaster(why);
    }

    @Override
    public void continueOnMaster(StatementPlan then) {
        text = "the transaction leaves its satellite; then " + of(then);
    }

    @Override
    public void moveToMaster(Route why) {
        text = "on the master, if nothing has changed that the transaction has read on its satellite: " + why;
    }

    @Override
    public void runOnAllNodes(StatementPlan then) {
        text = "on each node, at the same position in the commit order; on the master first, " + of(then);
    }

    @Override
    public void runOutsideTransaction() {
        text = "on the master, outside of transactions";
    }

    @Override
    public void begin(TransactionModes modes) {
        text = "on no node: the next statement decides";
    }

    @Override
    public void beginWithSnapshot(TransactionModes modes) {
        text = "on the master, which takes the snapshot at once";
    }

    @Override
    public void declareModes(TransactionModes modes, boolean allTransactions) {
        text = "on no node: the modes apply to later transactions";
    }

    @Override
    public void switchAutoCommit(boolean on) {
        text = "on no node: the mode of auto-commit applies to later statements";
    }

    @Override
    public void commit() {
        text = "on the node of the open transaction";
    }

    @Override
    public void rollback() {
        text = "on the node of the open transaction";
    }

    @Override
    public void discardSession() {
        text = "on no node: the session's connection is closed";
    }

    @Override
    public void acknowledge() {
        text = "on no node: the statement has no effect";
    }

    @Override
    public void showStatus() {
        text = "on no node: the middleware answers";
    }

    @Override
    public void administer() {
        text = "on no node: the middleware executes the statement";
    }

    @Override
    public void refuse(String message, String sqlState) {
        text = refused(message, sqlState);
    }
}
