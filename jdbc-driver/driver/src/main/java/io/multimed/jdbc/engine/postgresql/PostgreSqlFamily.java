// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.postgresql;

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

/** The family of PostgreSQL, which behaves like PgJDBC for the application. */
public final class PostgreSqlFamily implements EngineFamily {
    @Override
    public boolean contains(EngineIdentity engine) {
        return engine.productName().equals("PostgreSQL");
    }

    @Override
    public List<String> urlNames() {
        return List.of("postgresql");
    }

    @Override
    public boolean matches(String urlName, EngineIdentity engine) {
        return contains(engine);
    }

    @Override
    public String productName(String urlName, EngineIdentity engine) {
        return engine.productName();
    }

    @Override
    public DriverBehavior behavior(Properties properties) {
        return new PostgreSqlBehavior(DriverProperty.untypedTexts(properties));
    }

    @Override
    public ResultConversions conversions(ConversionContext connection) {
        return new PostgreSqlConversions(connection);
    }

    @Override
    public CurrentNamespace namespace(Connection connection, String database) {
        return new SearchPath(connection, database);
    }
}
