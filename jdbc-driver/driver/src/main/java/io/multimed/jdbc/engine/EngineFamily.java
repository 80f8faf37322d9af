package io.multimed.jdbc.engine;

import io.multimed.protocol.session.EngineIdentity;
import java.sql.Connection;
import java.util.List;
import java.util.Properties;

/**
 * Makes the objects in which the driver differs between engines. A family comprises engines whose drivers behave alike.
 */
public interface EngineFamily {
    /** Returns whether an engine belongs to this family. */
    boolean contains(EngineIdentity engine);

    /** Returns the names that URLs have for engines of this family. */
    List<String> urlNames();

    /** Returns whether an engine is the one for which a URL has one of {@link #urlNames}. */
    boolean matches(String urlName, EngineIdentity engine);

    /**
     * Returns the name of an engine for {@link java.sql.DatabaseMetaData#getDatabaseProductName()}.
     *
     * @param urlName the name in the URL; empty if there is none
     */
    String productName(String urlName, EngineIdentity engine);

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
    CurrentNamespace namespace(Connection connection, String database);
}
