// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import io.multimed.model.yaml.YamlSection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks a model against the restrictions of its engine, so that a violation is reported before any process starts. */
final class EngineRules {
    /** Captures the name of the database in a JDBC URL. */
    private static final Pattern DATABASE = Pattern.compile("//[^/]*/([^?]*)");

    // Name of Multimed's own schema, and the default of {@code database}.
    private static final String OWN = "multimed";

    private final KnownEngine engine;
    private final YamlSection top;
    private final String database;

    private EngineRules(KnownEngine engine, YamlSection top) {
        this.engine = engine;
        this.top = top;
        this.database = database(top);
    }

    /** Returns the name of the database that clients connect to. */
    static String database(YamlSection top) {
        return top.text("database", OWN);
    }

    /**
     * Adds a problem to {@code top} or to a section for each violation.
     *
     * @param sections the sections of the nodes, in the order of {@code nodes}
     */
    static void check(YamlSection top, List<YamlSection> sections, List<NodeSpec> nodes) {
        if (nodes.isEmpty()) {
            return;
        }
        KnownEngine.of(nodes.get(0).engine()).ifPresent(engine -> {
            EngineRules rules = new EngineRules(engine, top);
            rules.checkDatabase();
            for (int i = 0; i < nodes.size(); i++) {
                rules.checkNode(sections.get(i), nodes.get(i));
            }
        });
    }

    private void checkDatabase() {
        if (database.isBlank()) {
            top.problem("database", "is empty", "name the application's database, for example database: shop");
        }
        if (engine.schemasAreDatabases() && database.equalsIgnoreCase(OWN)) {
            top.problem(
                    "database",
                    (top.has("database") ? "\"%s\"" : "is missing, and the standard \"%s\"").formatted(database)
                            + " is the name of Multimed's own database on " + engine.word(),
                    "name the application's database, for example database: shop");
        }
    }

    private void checkNode(YamlSection section, NodeSpec node) {
        checkTables(section, node.content().tables());
        String url = node.program().external().map(ExternalConnection::url).orElse("");
        if (!url.startsWith("jdbc:")) {
            return; // NodeReader has already reported this
        }
        if (!url.startsWith(engine.url())) {
            section.problem(
                    "url",
                    "is not a URL of the driver that Multimed uses for " + engine.word(),
                    "use a URL that begins with " + engine.url());
            return;
        }
        Matcher named = DATABASE.matcher(url);
        if (engine.schemasAreDatabases() && named.find() && !named.group(1).equals(database)) {
            section.problem(
                    "url",
                    "names the database \"%s\", but the model names \"%s\"".formatted(named.group(1), database),
                    "use the same name in url and in database: the database has one name on all nodes");
        }
    }

    /** Checks that the schemas in the list of tables can be the only database that is replicated. */
    private void checkTables(YamlSection section, Tables tables) {
        if (!engine.schemasAreDatabases()) {
            return;
        }
        for (String name : new TreeSet<>(tables.names())) {
            int dot = name.indexOf('.');
            if (dot >= 0 && !mayBeDatabase(name.substring(0, dot))) {
                section.problem(
                        "tables",
                        "\"%s\" is not in the database \"%s\", which is the only one that is replicated"
                                .formatted(name, database),
                        "leave out what precedes the dot, or write %s".formatted(database));
            }
        }
    }

    /** @param schema a name in lower case, or a pattern */
    private boolean mayBeDatabase(String schema) {
        String literal = Pattern.quote(schema);
        String regex = literal.replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q");
        return database.toLowerCase(Locale.ROOT).matches(regex);
    }
}
