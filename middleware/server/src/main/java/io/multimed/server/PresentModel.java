// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import io.multimed.model.ModelException;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The System Model as it runs, with the satellites of now, and the names of satellites that are being changed: one
 * change of a satellite at a time. Thread-safe; the object's monitor is held for a few instructions.
 */
final class PresentModel {
    /** Replaced under the monitor. */
    private volatile SystemModel model;

    /** The names of all present and former nodes; the index is a node's ordinal. Replaced under the monitor. */
    private volatile List<String> names;

    /** Guarded by the monitor. */
    private final Set<String> changing = new HashSet<>();

    PresentModel(SystemModel model) {
        this.model = model;
        this.names = model.nodes().stream().map(NodeSpec::name).toList();
    }

    SystemModel model() {
        return model;
    }

    List<String> names() {
        return names;
    }

    /** Returns the definition of a running node. */
    NodeSpec node(String name) {
        return model.nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Takes over all parts of a model but its nodes. */
    synchronized void adopt(SystemModel settings) {
        model = settings.withNodes(model.nodes());
    }

    /** Records another definition of a running node. */
    synchronized void redefine(NodeSpec node) {
        model = model.withNodes(model.nodes().stream()
                .map(each -> each.name().equals(node.name()) ? node : each)
                .toList());
    }

    /**
     * Adds a node.
     *
     * @throws SQLException 22023 if there is a node with the name
     */
    synchronized void add(NodeSpec node) throws SQLException {
        if (model.nodes().stream().anyMatch(each -> each.name().equals(node.name()))) {
            throw new SQLException("a node \"%s\" is already running".formatted(node.name()), "22023");
        }
        List<NodeSpec> nodes = new ArrayList<>(model.nodes());
        nodes.add(node);
        model = model.withNodes(nodes);
        name(node.name());
    }

    private synchronized void name(String name) {
        if (!names.contains(name)) {
            List<String> more = new ArrayList<>(names);
            more.add(name);
            names = List.copyOf(more);
        }
    }

    /**
     * Adds the satellite of a definition, and occupies its name.
     *
     * @throws SQLException 22023 if the definition is wrong, 55006 if the satellite is being changed
     */
    synchronized NodeSpec reserve(String name, String definition) throws SQLException {
        try {
            SystemModel next = model.withSatellite(definition, "satellite " + name);
            NodeSpec node = next.nodes().get(next.nodes().size() - 1);
            if (!node.name().equals(name)) {
                throw new SQLException(
                        "the definition describes \"%s\", not \"%s\"".formatted(node.name(), name), "22023");
            }
            occupy(name);
            model = next;
            name(name);
            return node;
        } catch (ModelException e) {
            throw new SQLException(String.valueOf(e.getMessage()), "22023", e);
        }
    }

    /** Removes a node. */
    synchronized void forget(String name) {
        model = model.withNodes(
                model.nodes().stream().filter(node -> !node.name().equals(name)).toList());
    }

    /**
     * Begins a change of a satellite; {@link #release} ends the change.
     *
     * @throws SQLException 55006 if another change of the satellite is in progress
     */
    synchronized void occupy(String name) throws SQLException {
        checkFree(name);
        changing.add(name);
    }

    /** Refuses a node that is being changed. */
    synchronized void checkFree(String name) throws SQLException {
        if (changing.contains(name)) {
            throw new SQLException("another change of %s is in progress; wait until it ends".formatted(name), "55006");
        }
    }

    synchronized void release(String name) {
        changing.remove(name);
    }
}
