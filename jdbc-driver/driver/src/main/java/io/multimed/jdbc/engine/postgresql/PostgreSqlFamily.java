package io.multimed.jdbc.engine.postgresql;

import io.multimed.jdbc.engine.ConversionContext;
import io.multimed.jdbc.engine.CurrentNamespace;
import io.multimed.jdbc.engine.DriverBehavior;
import io.multimed.jdbc.engine.EngineFamily;
import io.multimed.jdbc.engine.ResultConversions;
import io.multimed.jdbc.settings.DriverProperty;
import io.multimed.protocol.session.EngineIdentity;
import java.sql.Connection;
import java.util.Properties;

/** PostgreSQL, as PgJDBC behaves. */
public final class PostgreSqlFamily implements EngineFamily {
    @Override
    public boolean contains(EngineIdentity engine) {
        return engine.productName().equals("PostgreSQL");
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
    public CurrentNamespace namespaces(Connection connection, String database) {
        return new SearchPath(connection, database);
    }
}
