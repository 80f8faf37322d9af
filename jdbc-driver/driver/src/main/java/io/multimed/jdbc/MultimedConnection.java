// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import java.sql.Connection;

/**
 * Reports the state of a connection that JDBC has no methods for: freshness, routing and the session. Obtained by
 * {@code connection.unwrap(MultimedConnection.class)}. The methods return values of the last response and send no
 * request.
 */
public interface MultimedConnection extends Connection {
    /**
     * Returns the SCN of the last commit, or the SCN that the last read was at least as fresh as; 0 before the first
     * response with an SCN. A later read of this connection is at least as fresh.
     */
    long lastScn();

    /**
     * Returns the name of the node that answered last; empty if no node has answered yet, or if the answer came from
     * the result cache.
     */
    String lastNode();

    /**
     * Returns the reason for the choice of this node, as a text for diagnosis, such as {@code not proved a pure read:
     * function f()}. The text may change between versions.
     */
    String why();

    /** Returns the identifier of the session, which is unique even over restarts of the middleware. */
    long sessionId();
}
