package io.multimed.server.dispatcher.administration;

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
     * Compares satellites with the master during normal operation.
     *
     * @param satellite name of the satellite to compare; empty for all satellites
     * @param repair whether satellites that differ are copied again, one after the other, and compared again
     */
    List<Drift> verify(Optional<String> satellite, boolean repair) throws SQLException, InterruptedException;

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
