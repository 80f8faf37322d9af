// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine;

import io.multimed.engine.memory.ResultMeter;
import io.multimed.engine.wire.WireProtocol;
import io.multimed.protocol.value.ErrorFields;
import java.sql.SQLException;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/**
 * The engines on the class path, found by {@link ServiceLoader}: each module names its class in {@code
 * META-INF/services/io.multimed.engine.Engine}.
 */
public final class Engines {
    private static final List<Engine> ALL = ServiceLoader.load(Engine.class, Engine.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .toList();

    private Engines() {}

    /**
     * Returns the engine with a name of the System Model.
     *
     * @throws IllegalArgumentException if no engine has this name
     */
    public static Engine of(String id) {
        return ALL.stream()
                .filter(engine -> engine.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no engine is called %s; there are: %s"
                        .formatted(id, ALL.stream().map(Engine::id).sorted().collect(Collectors.joining(", ")))));
    }

    public static List<WireProtocol> wireProtocols() {
        return ALL.stream().map(Engine::wireProtocol).toList();
    }

    /** Returns an error as the application receives it: the engine's own error, unless an engine has a clearer one. */
    public static SQLException clarify(SQLException failure) {
        if (ResultMeter.isRefusal(failure)) {
            return ResultMeter.refusal(failure);
        }
        for (Engine engine : ALL) {
            SQLException clearer = engine.clarify(failure);
            if (clearer != null) {
                return clearer;
            }
        }
        return failure;
    }

    /** Returns the fields that an engine has sent with an error; {@link ErrorFields#NONE} if there are none. */
    public static ErrorFields errorFields(SQLException failure) {
        for (Engine engine : ALL) {
            ErrorFields fields = engine.errorFields(failure);
            if (!fields.values().isEmpty()) {
                return fields;
            }
        }
        return ErrorFields.NONE;
    }
}
