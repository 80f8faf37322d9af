package io.multimed.model;

import io.multimed.model.yaml.YamlSection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the engine does not allow, found before anything is started. */
final class EngineRules {
    /** The database in a URL. */
    private static final Pattern DATABASE = Pattern.compile("//[^/]*/([^?]*)");

    private static final String OWN = "multimed";

    private final KnownEngine engine;
    private final YamlSection top;
    private final String database;

    private EngineRules(KnownEngine engine, YamlSection top) {
        this.engine = engine;
        this.top = top;
        this.database = database(top);
    }

    /** The database that clients see. */
    static String database(YamlSection top) {
        return top.text("database", OWN);
    }

    /** @param sections those of the nodes */
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
            top.problem("database", "is empty", "the name of the application's database, for example database: shop");
        }
        if (engine.schemasAreDatabases() && database.equalsIgnoreCase(OWN)) {
            top.problem(
                    "database",
                    (top.has("database") ? "\"%s\"" : "is missing, and the standard \"%s\"").formatted(database)
                            + " is the name of Multimed's own database on " + engine.word(),
                    "name the application's, for example database: shop");
        }
    }

    private void checkNode(YamlSection section, NodeSpec node) {
        String url = node.external().map(ExternalConnection::url).orElse("");
        if (!url.startsWith("jdbc:")) {
            return; // which is told already, where it is wrong
        }
        if (!url.startsWith(engine.url())) {
            section.problem(
                    "url",
                    "is not of the driver through which Multimed reaches " + engine.word(),
                    "it begins with " + engine.url());
            return;
        }
        Matcher named = DATABASE.matcher(url);
        if (engine.schemasAreDatabases() && named.find() && !named.group(1).equals(database)) {
            section.problem(
                    "url",
                    "names the database \"%s\", and the model \"%s\"".formatted(named.group(1), database),
                    "the same name in the url and in the line database: all nodes call it so");
        }
    }
}
