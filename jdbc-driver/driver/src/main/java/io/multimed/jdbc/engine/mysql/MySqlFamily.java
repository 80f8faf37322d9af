package io.multimed.jdbc.engine.mysql;

import io.multimed.jdbc.engine.ConversionContext;
import io.multimed.jdbc.engine.CurrentNamespace;
import io.multimed.jdbc.engine.DriverBehavior;
import io.multimed.jdbc.engine.EngineFamily;
import io.multimed.jdbc.engine.ResultConversions;
import io.multimed.jdbc.settings.DriverProperty;
import io.multimed.protocol.session.EngineIdentity;
import java.sql.Connection;
import java.util.Properties;
import java.util.Set;

/** MySQL and MariaDB, as MySQL Connector/J behaves. */
public final class MySqlFamily implements EngineFamily {
    private static final Set<String> PRODUCTS = Set.of("MySQL", "MariaDB");

    @Override
    public boolean contains(EngineIdentity engine) {
        return PRODUCTS.contains(engine.productName());
    }

    @Override
    public DriverBehavior behavior(Properties properties) {
        DriverProperty.untypedTexts(properties); // has no effect here, but a wrong value is an error nevertheless
        return new MySqlBehavior();
    }

    @Override
    public ResultConversions conversions(ConversionContext connection) {
        return new MySqlConversions();
    }

    @Override
    public CurrentNamespace namespaces(Connection connection, String database) {
        return new CurrentDatabase(connection, database);
    }
}
