package io.multimed.server.dispatcher;

/**
 * How the dispatcher handles statements, as the System Model and the master's engine determine.
 *
 * @param masterIsolation the isolation level of a transaction on the master that requests none, a constant of {@link
 *     java.sql.Connection}
 * @param readsBeforeWrite whether reads of a read-write transaction may run on satellites until its first write
 * @param cacheBytes maximum size of all kept results, in bytes; 0: no results are kept
 */
public record DispatcherOptions(int masterIsolation, boolean readsBeforeWrite, long cacheBytes) {}
