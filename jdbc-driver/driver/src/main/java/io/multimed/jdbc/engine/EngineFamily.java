// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine;

import io.multimed.protocol.session.EngineIdentity;
import java.sql.Connection;
import java.util.List;
import java.util.Properties;

/**
 * Creates the objects whose behavior differs between engines. A family comprises engines whose drivers behave alike. To
 * support another engine in the driver, implement this interface and add the family to the list of families. Stateless.
 */
public interface EngineFamily {
    /** Returns whether an engine belongs to this family. */
    boolean contains(EngineIdentity engine);

    /** Returns the names that URLs have for engines of this family. */
    List<String> urlNames();

    /**
     * Returns whether a URL with one of {@link #urlNames} may connect to an engine. If not, the driver refuses the
     * connection.
     */
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
     * Returns the access to a connection's catalog and schema.
     *
     * @param database the database that the connection was opened for
     */
    CurrentNamespace namespace(Connection connection, String database);
}
