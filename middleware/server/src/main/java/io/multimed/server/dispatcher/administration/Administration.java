// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.model.change.ModelPlan;
import io.multimed.server.propagation.replication.Drift;
import io.multimed.server.propagation.replication.HeldTable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Operations of administrators on the running system. Every method blocks until the operation is complete, and can be
 * interrupted. An SQLException states what is wrong and what to do; the satellite then remains in the state of the last
 * completed step.
 */
public interface Administration {
    /**
     * Starts a satellite, including its engine unless the engine is external. Returns when copying has begun.
     *
     * @param definition YAML, as an entry of the System Model's {@code nodes}
     */
    void add(String name, String definition) throws SQLException, InterruptedException;

    /**
     * Sends no new transactions to a satellite, and returns when no transaction runs there. The satellite continues to
     * apply WriteSets.
     */
    void drain(String name, DrainOptions options) throws SQLException, InterruptedException;

    /** Sends transactions to a drained satellite again. */
    void resume(String name) throws SQLException;

    /** Drains, stops and removes a satellite. Stops its engine if the engine was started for it. */
    void remove(String name, DrainOptions options) throws SQLException, InterruptedException;

    /** Drains a satellite and copies it again. Returns when copying has begun. */
    void reseed(String name, DrainOptions options) throws SQLException, InterruptedException;

    /**
     * Restarts the engine of a satellite on its data, without an error for clients: the satellite is drained before.
     * Returns when the satellite has caught up.
     *
     * @param options how long running transactions may continue. Then the restart is given up; with {@code force}, they
     *     are aborted instead
     */
    void restart(String name, DrainOptions options) throws SQLException, InterruptedException;

    /** Restarts the engine of the master; running transactions may end, and new ones wait. Options as above. */
    void restartMaster(DrainOptions options) throws SQLException, InterruptedException;

    /**
     * Makes new transactions on the master wait, and returns when none runs there. The pause ends by {@link
     * #resumeMaster}, or after a limit.
     *
     * @param wait how long running transactions may continue; then the pause is given up
     */
    void pauseMaster(Duration wait) throws SQLException, InterruptedException;

    /** Ends a pause of the master. Fails while the master cannot be reached; the pause then continues. */
    void resumeMaster() throws SQLException, InterruptedException;

    /**
     * Compares satellites with the master during normal operation.
     *
     * @param satellite name of the satellite to compare; empty for all satellites
     * @param repair whether satellites that differ are copied again, one after the other, and compared again
     */
    List<Drift> verify(Optional<String> satellite, boolean repair) throws SQLException, InterruptedException;

    /**
     * Compares the running system with a System Model. Changes nothing.
     *
     * @param definition the whole model, YAML
     */
    ModelPlan plan(String definition) throws SQLException;

    /**
     * Changes the running system so that it corresponds to a System Model, except for what needs a restart.
     *
     * @param plan fingerprint of the plan that was confirmed; empty for any
     * @param wait how long transactions may continue on satellites that have to be drained
     * @return all steps, up to the first one that failed, and those that were not done therefore
     */
    List<StepReport> apply(String definition, Optional<String> plan, Duration wait)
            throws SQLException, InterruptedException;

    /**
     * The outcome of one step of a change.
     *
     * @param outcome {@link #DONE}, {@link #FAILED} or {@link #NOT_DONE}
     * @param detail the reason of a failure; otherwise empty
     */
    record StepReport(String step, String outcome, String detail) {
        public static final String DONE = "done";
        public static final String FAILED = "failed";
        public static final String NOT_DONE = "not done";
    }

    /** Returns which satellites hold each table of the master. */
    List<HeldTable> tables() throws SQLException;

    /**
     * Treatment of running transactions.
     *
     * @param timeout maximum time to wait for running transactions; afterwards they continue, and the satellite remains
     * closed to new ones
     * @param force aborts transactions that still run then, and permits an operation that leaves all reads to the
     * master
     */
    record DrainOptions(Duration timeout, boolean force) {}
}
