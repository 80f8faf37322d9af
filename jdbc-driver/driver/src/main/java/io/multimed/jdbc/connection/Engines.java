package io.multimed.jdbc.connection;

import io.multimed.jdbc.engine.EngineFamily;
import io.multimed.jdbc.engine.mysql.MySqlFamily;
import io.multimed.jdbc.engine.postgresql.PostgreSqlFamily;
import io.multimed.protocol.session.EngineIdentity;
import java.util.List;
import java.util.Set;

/** What differs from engine to engine, by the name that the engine's own driver gives it. One more engine is a few more lines here. */
public final class Engines {
    /** By which URLs name engines. */
    public static final List<String> WORDS = List.of("postgresql", "mysql", "mariadb");

    private static final Set<String> FAMILY_OF_MYSQL = Set.of("MySQL", "MariaDB");

    /** The family of engines that no family contains. */
    private static final EngineFamily STANDARD = new PostgreSqlFamily();

    private static final List<EngineFamily> FAMILIES = List.of(new PostgreSqlFamily(), new MySqlFamily());

    private Engines() {}

    /**
     * Whether an engine is the one that a URL names: MariaDB may be called MySQL, whose name its driver gives it.
     *
     * @param word one of {@link #WORDS}, or nothing: then any will do
     */
    public static boolean isCalled(String word, EngineIdentity found) {
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

    /** Returns the family of an engine. */
    static EngineFamily family(EngineIdentity engine) {
        return FAMILIES.stream()
                .filter(family -> family.contains(engine))
                .findFirst()
                .orElse(STANDARD);
    }
}
