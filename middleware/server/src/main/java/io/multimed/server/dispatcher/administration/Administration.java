package io.multimed.server.dispatcher.administration;

import io.multimed.server.propagation.replication.Drift;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What an administrator may have done to the running system. Every method blocks until it is done, may be interrupted, and fails with an SQLException that says
 * what is wrong and what to do; a failure leaves the satellite as the last finished step put it.
 */
public interface Administration {
    /**
     * Starts a satellite, with its engine unless that is external, and returns when its copying has begun.
     *
     * @param definition YAML, as an entry of the System Model's {@code nodes}
     */
    void add(String name, String definition) throws SQLException, InterruptedException;

    /** Sends no new transactions to a satellite and returns when none runs there. It goes on applying. */
    void drain(String name, Patience patience) throws SQLException, InterruptedException;

    /** Sends transactions to a drained satellite again. */
    void resume(String name) throws SQLException;

    /** Drains a satellite, stops it, and forgets it; an engine that was started for it is stopped, too. */
    void remove(String name, Patience patience) throws SQLException, InterruptedException;

    /** Drains a satellite and has it copied anew; returns when that has begun. */
    void reseed(String name, Patience patience) throws SQLException, InterruptedException;

    /**
     * Compares satellites with the master while updates go on.
     *
     * @param satellite only this one; empty for all
     * @param repair whether those that differ are copied anew, one after the other, and compared again
     */
    List<Drift> verify(Optional<String> satellite, boolean repair) throws SQLException, InterruptedException;

    /**
     * How running transactions are treated.
     *
     * @param limit the longest time that is waited for them; then they go on, and the satellite stays closed to new ones
     * @param force cuts off what still runs then, and allows what leaves all reads to the master
     */
    record Patience(Duration limit, boolean force) {}
}
