package io.multimed.jdbc;

import java.sql.Connection;

/** Tells what a connection knows beyond JDBC. Obtained by {@code connection.unwrap(MultimedConnection.class)}. */
public interface MultimedConnection extends Connection {
    /**
     * Returns the SCN of the last commit, or the SCN that the last read was at least as fresh as; 0 if none is known
     * yet.
     */
    long lastScn();

    /** Returns the name of the node that answered last; empty if no node has answered yet. */
    String lastNode();

    /**
     * Returns the reason why this node was chosen, for people: such as {@code not proved a pure read: function f()}.
     */
    String why();

    /** Returns the identifier of the session, which is unique even over restarts of the middleware. */
    long sessionId();
}
