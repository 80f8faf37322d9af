// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.connection;

import io.multimed.jdbc.engine.EngineFamily;
import io.multimed.jdbc.engine.mysql.MySqlFamily;
import io.multimed.jdbc.engine.postgresql.PostgreSqlFamily;
import io.multimed.protocol.session.EngineIdentity;
import java.util.List;

/**
 * Lists the families of engines. To support a further family, implement {@link EngineFamily} and add the implementation
 * here.
 */
public final class Engines {
    /** The family for an engine that no other family contains. */
    private static final EngineFamily DEFAULT = new PostgreSqlFamily();

    private static final List<EngineFamily> FAMILIES = List.of(DEFAULT, new MySqlFamily());

    /** The names of engines in URLs. */
    public static final List<String> URL_NAMES =
            FAMILIES.stream().flatMap(family -> family.urlNames().stream()).toList();

    private Engines() {}

    /**
     * Returns whether a URL permits a connection to an engine.
     *
     * @param urlName one of {@link #URL_NAMES}; empty if the URL names no engine: then every engine matches
     */
    public static boolean matches(String urlName, EngineIdentity engine) {
        return urlName.isEmpty()
                || FAMILIES.stream()
                        .anyMatch(family -> family.urlNames().contains(urlName) && family.matches(urlName, engine));
    }

    static EngineFamily family(EngineIdentity engine) {
        return FAMILIES.stream()
                .filter(family -> family.contains(engine))
                .findFirst()
                .orElse(DEFAULT);
    }
}
