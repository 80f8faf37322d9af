package io.multimed.server.dispatcher.session;

import java.util.function.IntSupplier;

/**
 * Who a client is, and what it may do.
 *
 * @param user the name with which the client has logged in
 * @param administrator whether the client may change and verify the running system
 * @param maxStatements returns the maximum number of statements of the user that run at the same time; 0 for no limit
 */
public record ClientIdentity(String user, boolean administrator, IntSupplier maxStatements) {}
