package io.multimed.middleware.node.engine;

import io.multimed.middleware.node.engine.mysql.MySqlEngine;
import io.multimed.middleware.node.engine.postgresql.PostgresEngine;
import io.multimed.protocol.ErrorFields;
import java.sql.SQLException;
import java.util.List;

/** The engines that there are. One more engine is one more line here. */
public final class Engines {
    private static final List<Engine> ALL =
            List.of(new PostgresEngine(), new MySqlEngine("mariadb"), new MySqlEngine("mysql"));

    private Engines() {}

    /** The message of an error, in the words of the engine that it came from. */
    public static String errorMessage(SQLException failure) {
        String message = String.valueOf(failure.getMessage());
        for (Engine engine : ALL) {
            String clearer = engine.clearerMessage(failure);
            message = clearer == null ? message : clearer;
        }
        return message;
    }

    /** What an engine said of an error beside its message, whichever it was. */
    public static ErrorFields errorFields(SQLException failure) {
        for (Engine engine : ALL) {
            ErrorFields fields = engine.errorFields(failure);
            if (!fields.values().isEmpty()) {
                return fields;
            }
        }
        return ErrorFields.NONE;
    }

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
