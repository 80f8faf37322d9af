package io.multimed.jdbc;

import io.multimed.jdbc.mysql.CurrentDatabase;
import io.multimed.jdbc.mysql.MySqlConversions;
import io.multimed.jdbc.mysql.MySqlManners;
import io.multimed.protocol.EngineIdentity;
import java.util.Set;

/** What differs from engine to engine, by the name that the engine's own driver gives it. One more engine is one more line here. */
final class Engines {
    private static final Set<String> FAMILY_OF_MYSQL = Set.of("MySQL", "MariaDB");

    private Engines() {}

    static Conversions conversions(EngineIdentity engine, JdbcConnection connection) {
        return FAMILY_OF_MYSQL.contains(engine.productName())
                ? new MySqlConversions()
                : new TypedConversions(connection);
    }

    static Manners manners(EngineIdentity engine) {
        Manners standard = new StandardManners();
        return FAMILY_OF_MYSQL.contains(engine.productName()) ? new MySqlManners(standard) : standard;
    }

    static Namespaces namespaces(EngineIdentity engine, JdbcConnection connection, String database) {
        return FAMILY_OF_MYSQL.contains(engine.productName())
                ? new CurrentDatabase(connection, database)
                : new SearchPath(connection, database);
    }
}
