package io.multimed.deploy.fault;

/** What can go wrong. */
public enum Fault {
    /** {@code kill -9} of a satellite's engine. */
    KILL_SATELLITE,
    /** {@code kill -9} of the middleware's process. */
    KILL_MIDDLEWARE,
    /** {@code kill -9} of the master's engine. */
    KILL_MASTER,
    /** Both at the same moment. */
    KILL_MASTER_AND_MIDDLEWARE,
    /** The master's processes are stopped (SIGSTOP): its connections stay open and nothing answers. */
    HANG_MASTER,
    /** A satellite's processes are stopped (SIGSTOP): its connections stay open and nothing answers. */
    HANG_SATELLITE,
    /** A satellite's processes run a tenth of the time. */
    SLOW_SATELLITE,
    /** A satellite's tables cannot grow beyond {@link FullDisk#LARGEST_FILE_BYTES}; every write beyond fails. */
    FULL_DISK,
    /** A satellite's engine is killed and all its data is gone. */
    LOSE_SATELLITE_DATA,
    /** All connections that pass the proxy are cut at once. */
    CUT_CONNECTIONS,
}
