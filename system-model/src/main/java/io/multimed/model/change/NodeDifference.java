// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.change;

import io.multimed.model.ExternalConnection;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Source;
import io.multimed.model.SystemModel;
import io.multimed.model.value.Secret;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The differences between the nodes of two System Models. */
final class NodeDifference {
    private static final String MASTER = "the master is the only durable copy: its engine keeps this until a restart";
    private static final String OTHER_MASTER = "the running middleware cannot change its master";

    private static final ExternalConnection NONE = new ExternalConnection("", "", Secret.NONE);

    private NodeDifference() {}

    static List<PlannedChange> of(SystemModel running, SystemModel wanted) {
        List<PlannedChange> changes = new ArrayList<>();
        for (NodeSpec node : wanted.nodes()) {
            Optional<NodeSpec> before = find(running, node.name());
            if (before.isEmpty()) {
                changes.add(whole(PlannedChange.Kind.ADD, node));
            } else {
                changes.addAll(between(before.get(), node));
            }
        }
        for (NodeSpec node : running.nodes()) {
            if (find(wanted, node.name()).isEmpty()) {
                changes.add(whole(PlannedChange.Kind.REMOVE, node));
            }
        }
        return changes;
    }

    private static Optional<NodeSpec> find(SystemModel model, String name) {
        return model.nodes().stream().filter(node -> node.name().equals(name)).findFirst();
    }

    private static PlannedChange whole(PlannedChange.Kind kind, NodeSpec node) {
        boolean adds = kind == PlannedChange.Kind.ADD;
        boolean isMaster = node.role() == Role.MASTER;
        String content = "%s, cores %s, pool %d, tables %s"
                .formatted(
                        Values.word(node.role()),
                        node.cores(),
                        node.pool(),
                        Values.tables(node.content().tables()));
        String what = adds ? "starts its engine and copies the master" : "drains it and stops its engine";
        return new PlannedChange(
                kind,
                PlannedChange.Part.NODE,
                node.name(),
                "",
                adds ? "" : content,
                adds ? content : "",
                isMaster ? Effect.RESTART : Effect.LIVE,
                isMaster ? OTHER_MASTER : what);
    }

    private static List<PlannedChange> between(NodeSpec before, NodeSpec after) {
        boolean isMaster = before.role() == Role.MASTER || after.role() == Role.MASTER;
        boolean isFixed = isMaster || !before.engine().equals(after.engine());
        Effect engine = isFixed ? Effect.RESTART : Effect.ENGINE;
        Effect content = isFixed ? Effect.RESTART : Effect.REJOIN;
        String why = isMaster ? MASTER : "";
        KeyComparison<NodeSpec> keys = new KeyComparison<>(PlannedChange.Part.NODE, after.name(), before, after);
        keys.key("role", Effect.RESTART, OTHER_MASTER, node -> Values.word(node.role()))
                .key("engine", Effect.RESTART, "another engine needs other data", NodeSpec::engine)
                .key("source", engine, why, node -> Values.word(node.program().source()))
                .key("cores", Effect.LIVE, affinity(after), node -> node.cores().toString())
                .key("memory", engine, why, node -> node.memory().toString())
                .key("storage", engine, why, node -> Values.word(node.data().storage()))
                .key("data", engine, why, node -> Values.optional(node.data()))
                .key("port", engine, why, node -> Integer.toString(node.port()))
                .key(
                        "pool",
                        content,
                        isMaster ? "its connections are opened at the start" : "",
                        node -> Integer.toString(node.pool()))
                .entries("settings", engine, why, NodeSpec::settings)
                .key(
                        "installation",
                        engine,
                        why,
                        node -> Values.optional(node.program().installation()))
                .key("url", engine, why, node -> Values.url(external(node).url()))
                .key("user", engine, why, node -> external(node).user())
                .secret(
                        "password",
                        engine,
                        why,
                        node -> List.of(
                                external(node).password().reveal(),
                                Values.passwordIn(external(node).url())))
                .key(
                        "tables",
                        content,
                        "copies the master again",
                        node -> Values.tables(node.content().tables()))
                .key(
                        "indexes",
                        content,
                        node -> String.join("; ", node.content().indexes()))
                .key(
                        "materialized-views",
                        content,
                        node -> Values.views(node.content().views()))
                .key("classes", content, node -> String.join(", ", node.classes()));
        return keys.changes();
    }

    private static String affinity(NodeSpec node) {
        return node.program().source() == Source.EXTERNAL
                ? "an external engine is not pinned"
                : "moves all processes and threads of the engine";
    }

    private static ExternalConnection external(NodeSpec node) {
        return node.program().external().orElse(NONE);
    }
}
