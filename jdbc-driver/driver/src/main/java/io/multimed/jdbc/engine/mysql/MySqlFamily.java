// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.mysql;

import io.multimed.jdbc.engine.ConversionContext;
import io.multimed.jdbc.engine.CurrentNamespace;
import io.multimed.jdbc.engine.DriverBehavior;
import io.multimed.jdbc.engine.EngineFamily;
import io.multimed.jdbc.engine.ResultConversions;
import io.multimed.jdbc.settings.DriverProperty;
import io.multimed.protocol.session.EngineIdentity;
import java.sql.Connection;
import java.util.List;
import java.util.Properties;
import java.util.Set;

/**
 * The family of MySQL and MariaDB, which behave like MySQL Connector/J for the application, whichever driver the
 * middleware uses.
 */
public final class MySqlFamily implements EngineFamily {
    private static final String MARIADB = "mariadb";
    private static final Set<String> PRODUCTS = Set.of("MySQL", "MariaDB");

    @Override
    public boolean contains(EngineIdentity engine) {
        return PRODUCTS.contains(engine.productName());
    }

    @Override
    public List<String> urlNames() {
        return List.of("mysql", MARIADB);
    }

    /** Returns whether the engine has this name. MariaDB also has the name {@code mysql}, which its driver reports. */
    @Override
    public boolean matches(String urlName, EngineIdentity engine) {
        boolean isMariaDb = (engine.productName() + engine.productVersion()).contains("MariaDB");
        return contains(engine) && (isMariaDb || !urlName.equals(MARIADB));
    }

    /** Returns the name that the engine's driver reports, or {@code MariaDB} if the URL has this name. */
    @Override
    public String productName(String urlName, EngineIdentity engine) {
        return urlName.equals(MARIADB) ? "MariaDB" : engine.productName();
    }

    @Override
    public DriverBehavior behavior(Properties properties) {
        DriverProperty.untypedTexts(
                properties); // the property has no effect here, but a wrong value is an error on all engines
        return new MySqlBehavior();
    }

    @Override
    public ResultConversions conversions(ConversionContext connection) {
        return new MySqlConversions();
    }

    @Override
    public CurrentNamespace namespace(Connection connection, String database) {
        return new CurrentDatabase(connection, database);
    }
}
