package io.multimed.jdbc.engine;

import io.multimed.protocol.session.EngineIdentity;
import java.sql.Connection;
import java.util.Properties;

/**
 * Engines whose drivers behave alike. Everything in which the Multimed driver differs between engines is a method of the
 * objects that a family makes.
 */
public interface EngineFamily {
    /** Returns whether an engine belongs to this family. */
    boolean contains(EngineIdentity engine);

    /**
     * Returns how the engine's own driver behaves.
     *
     * @param properties of the connection
     * @throws IllegalArgumentException if the value of a property is wrong
     */
    DriverBehavior behavior(Properties properties);

    /** Returns the conversions that getters use. */
    ResultConversions conversions(ConversionContext connection);

    /**
     * Returns what a connection's catalog and schema are.
     *
     * @param database the database that the connection was opened for
     */
    CurrentNamespace namespaces(Connection connection, String database);
}
