package io.multimed.middleware.node.engine;

import io.multimed.middleware.node.ResultMeter;
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

    /** An error as an application should see it: nearly always as the engine said it. */
    public static SQLException clearer(SQLException failure) {
        if (ResultMeter.isRefusal(failure)) {
            return ResultMeter.refusal(failure);
        }
        for (Engine engine : ALL) {
            SQLException clearer = engine.clearer(failure);
            if (clearer != null) {
                return clearer;
            }
        }
        return failure;
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
