// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import java.util.Map;

/**
 * The tables whose changes may share a transaction with changes of other clients, because they run no code of users.
 * Where the schema {@code multimed} is installed, views have the definitions; elsewhere, the same definitions are
 * queried.
 */
public final class ShareableTables {
    /** A query of the same columns as the view {@code multimed.shareable}. Its names are the engine's own. */
    public static final String QUERY = PostgresConnections.SCRIPTS.script(
            "shareable",
            Map.of("own", "0", "unnamed_code", "(" + PostgresConnections.SCRIPTS.script("unnamed_code") + ")"));

    private ShareableTables() {}

    /** Returns the script {@code install}, with these definitions as views. */
    public static String install() {
        return PostgresConnections.SCRIPTS.script(
                "install",
                Map.of(
                        "unnamed_code",
                        PostgresConnections.SCRIPTS.script("unnamed_code"),
                        "shareable",
                        PostgresConnections.SCRIPTS.script(
                                "shareable",
                                Map.of("own", "'multimed'::regnamespace", "unnamed_code", "multimed.unnamed_code"))));
    }
}
