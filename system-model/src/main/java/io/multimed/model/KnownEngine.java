// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The engines that a System Model may name. A new engine needs a constant here. */
enum KnownEngine {
    POSTGRESQL("jdbc:postgresql:", false, true),
    MARIADB("jdbc:mysql:", true, false),
    MYSQL("jdbc:mysql:", true, false);

    /** Engine of a model that names none. */
    static final KnownEngine STANDARD = POSTGRESQL;

    /** Prefix of the JDBC URL of an external engine. */
    private final String url;

    /**
     * Whether the engine makes no difference between a schema and a database. Multimed's own tables are then in a
     * database called multimed, and the database has the same name on the satellites and on the master.
     */
    private final boolean schemasAreDatabases;

    /** Whether Multimed makes standbys of the engine, see {@link Propagation#LOG}. */
    private final boolean hasStandbys;

    KnownEngine(String url, boolean schemasAreDatabases, boolean hasStandbys) {
        this.url = url;
        this.hasStandbys = hasStandbys;
        this.schemasAreDatabases = schemasAreDatabases;
    }

    /** Returns the engine with this name in a model; empty if there is none. */
    static Optional<KnownEngine> of(String name) {
        return Stream.of(values()).filter(engine -> engine.word().equals(name)).findFirst();
    }

    /** Returns the names of all engines, for messages. */
    static String words() {
        return Stream.of(values()).map(KnownEngine::word).collect(Collectors.joining(", "));
    }

    /** Returns the name in a model. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    String url() {
        return url;
    }

    boolean schemasAreDatabases() {
        return schemasAreDatabases;
    }

    boolean hasStandbys() {
        return hasStandbys;
    }
}
