package io.multimed.jdbc;

import io.multimed.jdbc.mysql.CurrentDatabase;
import io.multimed.jdbc.mysql.MySqlConversions;
import io.multimed.jdbc.mysql.MySqlManners;
import io.multimed.protocol.session.EngineIdentity;
import java.util.List;
import java.util.Properties;
import java.util.Set;

/** What differs from engine to engine, by the name that the engine's own driver gives it. One more engine is a few more lines here. */
final class Engines {
    /** By which URLs name engines. */
    static final List<String> WORDS = List.of("postgresql", "mysql", "mariadb");

    private static final Set<String> FAMILY_OF_MYSQL = Set.of("MySQL", "MariaDB");

    private static final Set<String> TEXT_TYPES = Set.of("varchar", "unspecified");

    private Engines() {}

    /**
     * Whether an engine is the one that a URL names: MariaDB may be called MySQL, whose name its driver gives it.
     *
     * @param word one of {@link #WORDS}, or nothing: then any will do
     */
    static boolean isCalled(String word, EngineIdentity found) {
        boolean family = FAMILY_OF_MYSQL.contains(found.productName());
        return switch (word) {
            case "postgresql" -> found.productName().equals("PostgreSQL");
            case "mysql" -> family;
            case "mariadb" -> family && (found.productName() + found.productVersion()).contains("MariaDB");
            default -> true;
        };
    }

    /** What an engine is called: as its driver calls it; MariaDB, which MySQL's driver calls MySQL, by its own name if that was asked for. */
    static String nameOf(String word, EngineIdentity found) {
        return word.equals("mariadb") ? "MariaDB" : found.productName();
    }

    static Conversions conversions(EngineIdentity engine, JdbcConnection connection) {
        return FAMILY_OF_MYSQL.contains(engine.productName())
                ? new MySqlConversions()
                : new TypedConversions(connection);
    }

    static Manners manners(EngineIdentity engine, Properties properties) {
        String texts = DriverProperty.STRING_TYPE.of(properties);
        if (!TEXT_TYPES.contains(texts)) {
            throw new IllegalArgumentException("property %s: \"%s\" is neither varchar nor unspecified"
                    .formatted(DriverProperty.STRING_TYPE.key, texts));
        }
        Manners standard = new StandardManners(texts.equals("unspecified"));
        return FAMILY_OF_MYSQL.contains(engine.productName()) ? new MySqlManners(standard) : standard;
    }

    static Namespaces namespaces(EngineIdentity engine, JdbcConnection connection, String database) {
        return FAMILY_OF_MYSQL.contains(engine.productName())
                ? new CurrentDatabase(connection, database)
                : new SearchPath(connection, database);
    }
}
