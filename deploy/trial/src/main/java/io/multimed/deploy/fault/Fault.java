// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

/** Faults that can be injected. */
public enum Fault {
    /** Kills a satellite's engine by {@code kill -9}. */
    KILL_SATELLITE,
    /** Kills the middleware's process by {@code kill -9}. */
    KILL_MIDDLEWARE,
    /** Kills the master's engine by {@code kill -9}. */
    KILL_MASTER,
    /** Kills the master's engine and the middleware at the same moment. */
    KILL_MASTER_AND_MIDDLEWARE,
    /** Stops the master's processes (SIGSTOP): connections stay open without responses. */
    HANG_MASTER,
    /** Stops a satellite's processes (SIGSTOP): connections stay open without responses. */
    HANG_SATELLITE,
    /** Lets a satellite's processes run for a tenth of the time. */
    SLOW_SATELLITE,
    /**
     * Limits the files of a satellite's tables to {@link FullDisk#MAX_FILE_BYTES}; every write beyond this size
     * fails.
     */
    FULL_DISK,
    /** Kills a satellite's engine and removes its data. */
    LOSE_SATELLITE_DATA,
    /** Cuts all connections through the proxy. */
    CUT_CONNECTIONS,
}
