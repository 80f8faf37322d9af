// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import io.multimed.model.value.ByteSize;
import io.multimed.model.value.CoreSet;
import io.multimed.model.value.Secret;
import io.multimed.model.yaml.PasswordSource;
import io.multimed.model.yaml.YamlSection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads one entry of {@code nodes}. Adds each mistake to the problems of the section and continues with the default.
 */
final class NodeReader {
    private final YamlSection section;

    private NodeReader(YamlSection section) {
        this.section = section;
    }

    /**
     * Reads a node.
     *
     * @param optimization level of the whole model, which determines where satellites keep their data
     * @param engine engine of a node that names none
     * @param propagation of the whole model
     */
    static NodeSpec read(YamlSection section, Optimization optimization, String engine, Propagation propagation) {
        NodeSpec node = new NodeReader(section).node(optimization, engine);
        Propagation.Copy.check(section, node.role(), propagation);
        section.finish();
        return node;
    }

    private NodeSpec node(Optimization optimization, String engine) {
        Role role = role();
        Source source = section.constant("source", Source.EMBEDDED);
        NodeSpec node = new NodeSpec(
                name(section),
                role,
                engine(section, engine),
                new NodeSpec.Program(source, section.text("installation"), external(source)),
                section.value("cores", CoreSet.ALL, CoreSet::parse),
                section.value("memory", NodeSpec.DEFAULT_MEMORY, ByteSize::parse),
                new NodeSpec.Data(storage(role, optimization), section.text("data")),
                section.number("port", 0, 0, 65_535),
                section.number("pool", NodeSpec.DEFAULT_POOL, 1, 10_000),
                section.section("settings").map(YamlSection::all).orElse(Map.of()),
                new NodeSpec.Content(
                        tables(role, optimization), indexes(role, optimization), views(role, optimization)),
                section.texts("classes"));
        check(node);
        return node;
    }

    /** Returns the name of a node, or of another part of the model. */
    static String name(YamlSection section) {
        String name = section.text("name", "");
        if (!name.matches("[A-Za-z][A-Za-z0-9_-]{0,62}")) {
            section.problem(
                    "name",
                    name.isEmpty() ? "is missing" : "\"%s\" is not a name".formatted(name),
                    "use a letter, then letters, digits, - or _");
        }
        return name;
    }

    private Role role() {
        if (!section.has("role")) {
            section.problem("role", "is missing", "master or satellite");
        }
        return section.constant("role", Role.SATELLITE);
    }

    /** Returns the engine of the whole model. */
    static String engine(YamlSection top) {
        return engine(top, KnownEngine.STANDARD.word());
    }

    private static String engine(YamlSection section, String standard) {
        String engine = section.text("engine", standard).toLowerCase(Locale.ROOT);
        if (KnownEngine.of(engine).isEmpty()) {
            section.problem(
                    "engine",
                    "\"%s\" is not an engine that Multimed knows".formatted(engine),
                    "one of " + KnownEngine.words());
        }
        return engine;
    }

    private Storage storage(Role role, Optimization optimization) {
        Storage standard = role == Role.MASTER || optimization == Optimization.C0 ? Storage.DISK : Storage.MEMORY;
        Storage storage = section.constant("storage", standard);
        if (role == Role.MASTER && storage == Storage.MEMORY) {
            section.problem("storage", "the master is the only durable copy and cannot be in memory", "storage: disk");
        }
        if (role == Role.SATELLITE && storage != standard && section.has("storage")) {
            section.problem(
                    "storage",
                    "%s keeps satellites on %s"
                            .formatted(optimization, standard.name().toLowerCase(Locale.ROOT)),
                    "leave storage out, or choose another optimization (C0: disk, C1 and C2: memory)");
        }
        return storage;
    }

    private Optional<ExternalConnection> external(Source source) {
        Optional<String> url = section.text("url");
        Optional<String> user = section.text("user");
        Optional<Secret> password = PasswordSource.read(section);
        if (source != Source.EXTERNAL) {
            url.ifPresent(given -> section.problem(
                    "url", "only an external engine has a url", "set source: external, or leave url out"));
            return Optional.empty();
        }
        if (url.isEmpty() || !url.get().startsWith("jdbc:")) {
            section.problem("url", "is missing or not a JDBC URL", "use a URL of the engine's own driver");
        }
        if (user.isEmpty()) {
            section.problem("user", "is missing", "name the engine's user as which Multimed connects");
        }
        if (password.isEmpty() && !url.orElse("").contains("password=")) {
            section.problem(
                    "password",
                    "is missing: the engine of %s may require a password".formatted(section.text("name", "this node")),
                    "password-file, password-env or password; if the engine requires none, password: \"\"");
        }
        return Optional.of(new ExternalConnection(url.orElse(""), user.orElse(""), password.orElse(Secret.NONE)));
    }

    private Tables tables(Role role, Optimization optimization) {
        if (!section.has("tables")
                || (section.isPlain("tables") && section.text("tables", "").equals("all"))) {
            return Tables.ALL;
        }
        if (role == Role.MASTER) {
            section.problem("tables", "the master always holds all tables", "leave tables out");
        } else if (optimization != Optimization.C2) {
            section.problem(
                    "tables",
                    "partial copies need optimization C2, not " + optimization,
                    "set optimization: C2, or tables: all");
        }
        List<String> names = section.texts("tables");
        if (names.isEmpty()) {
            section.problem("tables", "names no table", "set tables: all, or list the tables");
        }
        names.forEach(this::checkTables);
        Set<String> lower = new HashSet<>();
        names.forEach(name -> lower.add(name.toLowerCase(Locale.ROOT)));
        return new Tables(false, lower);
    }

    /** Checks an entry of {@code tables}. A name without wildcards may contain any characters. */
    private void checkTables(String entry) {
        if (!entry.contains("*") && !entry.contains("?")) {
            return;
        }
        if (entry.matches("\\*+(\\.\\*+)?")) {
            section.problem("tables", "\"%s\" stands for all tables".formatted(entry), "write tables: all");
        } else if (!entry.matches("[^.]+(\\.[^.]+)?")) {
            section.problem(
                    "tables",
                    "\"%s\" is not a pattern for tables".formatted(entry),
                    "write table or schema.table, with * for any characters and ? for one: sales.*, public.order_*");
        } else if (entry.matches(".*[\\s\"'`\\[\\]{}()|%!^].*")) {
            section.problem(
                    "tables",
                    "\"%s\" contains a character that is no wildcard".formatted(entry),
                    "use * for any characters and ? for one; there is no other wildcard, and no exclusion");
        }
    }

    private List<String> indexes(Role role, Optimization optimization) {
        List<String> indexes = section.texts("indexes");
        if (!indexes.isEmpty() && role == Role.MASTER) {
            section.problem("indexes", "the master has the indexes of the application", "create them by SQL");
        } else if (!indexes.isEmpty() && optimization != Optimization.C2) {
            section.problem(
                    "indexes",
                    "indexes of a satellite need optimization C2, not " + optimization,
                    "set optimization: C2, or leave indexes out");
        }
        for (String each : indexes) {
            if (!each.matches("(?s)[^;(]+\\([^;]+")) {
                section.problem(
                        "indexes",
                        "\"%s\" does not define an index".formatted(each),
                        "name the table, then the columns in parentheses: order_line (ol_o_id)");
            }
        }
        return indexes;
    }

    private List<MaterializedViewSpec> views(Role role, Optimization optimization) {
        List<MaterializedViewSpec> views = new ArrayList<>();
        for (YamlSection each : section.sections("materialized-views")) {
            MaterializedViewSpec view = new MaterializedViewSpec(each.text("view", ""), each.texts("indexes"));
            if (!view.view().matches("[^.\\s]+(\\.[^.\\s]+)?")) {
                each.problem(
                        "view",
                        view.view().isEmpty()
                                ? "is missing"
                                : "\"%s\" is not the name of a view".formatted(view.view()),
                        "write the name of a view of the application, or schema.view");
            }
            for (String columns : view.indexes()) {
                if (columns.isBlank() || columns.contains(";")) {
                    each.problem(
                            "indexes",
                            "\"%s\" does not define an index".formatted(columns),
                            "name the columns, as in parentheses in CREATE INDEX: qty DESC, item");
                }
            }
            if (views.stream().anyMatch(other -> other.view().equalsIgnoreCase(view.view()))) {
                each.problem("view", "\"%s\" occurs twice".formatted(view.view()), "list each view once");
            }
            each.finish();
            views.add(view);
        }
        if (!views.isEmpty() && role == Role.MASTER) {
            section.problem("materialized-views", "the master has ordinary views", "list them at a satellite");
        } else if (!views.isEmpty() && optimization != Optimization.C2) {
            section.problem(
                    "materialized-views",
                    "materialized views of a satellite need optimization C2, not " + optimization,
                    "set optimization: C2, or leave materialized-views out");
        }
        return views;
    }

    private void check(NodeSpec node) {
        if (node.program().source() == Source.INSTALLED
                && node.program().installation().isEmpty()) {
            section.problem("installation", "is missing", "name the folder that holds bin/ of the installed engine");
        }
        if (node.program().source() != Source.INSTALLED
                && node.program().installation().isPresent()) {
            section.problem(
                    "installation",
                    "only an installed engine has an installation",
                    "set source: installed, or leave installation out");
        }
        if (node.memory().toMegabytes() < 64) {
            section.problem("memory", node.memory() + " is too little", "choose at least 64m");
        }
        if (node.program().source() == Source.EXTERNAL && node.port() != 0) {
            section.problem("port", "the port of an external engine is part of its url", "leave port out");
        }
    }
}
