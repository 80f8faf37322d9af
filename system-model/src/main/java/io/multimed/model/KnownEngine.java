package io.multimed.model;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The engines that Multimed knows; one more is one more constant here. */
enum KnownEngine {
    POSTGRESQL("jdbc:postgresql:", false),
    MARIADB("jdbc:mysql:", true),
    MYSQL("jdbc:mysql:", true);

    /** Where a model names none. */
    static final KnownEngine STANDARD = POSTGRESQL;

    /** How the URL of an external one begins. */
    private final String url;

    /** Whether a schema is a database there: then Multimed's own tables are in a database called multimed, and satellites' database has the master's name. */
    private final boolean schemasAreDatabases;

    KnownEngine(String url, boolean schemasAreDatabases) {
        this.url = url;
        this.schemasAreDatabases = schemasAreDatabases;
    }

    /** By its name in a model. */
    static Optional<KnownEngine> of(String name) {
        return Stream.of(values()).filter(engine -> engine.word().equals(name)).findFirst();
    }

    /** All their names. */
    static String words() {
        return Stream.of(values()).map(KnownEngine::word).collect(Collectors.joining(", "));
    }

    /** As a model names it. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    String url() {
        return url;
    }

    boolean schemasAreDatabases() {
        return schemasAreDatabases;
    }
}
