package io.multimed.jdbc;

import java.sql.Connection;

/** What a connection knows beyond JDBC; reached by {@code connection.unwrap(MultimedConnection.class)}. */
public interface MultimedConnection extends Connection {
    /** The SCN of the last commit, or the one that the last read was at least as fresh as; 0 if nothing is known yet. */
    long lastScn();

    /** The node that answered last; empty if none did. */
    String lastNode();

    /** Why that node answered, in words for people: such as {@code not proved a pure read: function f()}. */
    String why();

    /** Unique over restarts of the middleware. */
    long sessionId();
}
