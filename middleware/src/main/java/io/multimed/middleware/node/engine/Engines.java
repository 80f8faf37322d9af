package io.multimed.middleware.node.engine;

import io.multimed.middleware.node.engine.mysql.MySqlEngine;
import io.multimed.middleware.node.engine.postgresql.PostgresEngine;
import java.util.List;

/** The engines that there are. One more engine is one more line here. */
public final class Engines {
    private static final List<Engine> ALL =
            List.of(new PostgresEngine(), new MySqlEngine("mariadb"), new MySqlEngine("mysql"));

    private Engines() {}

    /**
     * The engine of that name, as the System Model writes it.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Engine of(String id) {
        return ALL.stream()
                .filter(engine -> engine.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no engine is called " + id));
    }
}
