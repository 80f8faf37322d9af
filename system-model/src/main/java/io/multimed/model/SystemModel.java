// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import io.multimed.model.listen.Listen;
import io.multimed.model.observation.Observation;
import io.multimed.model.yaml.Problem;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The System Model (paper §3.3.3): all nodes, the tables that each holds, and routing. Immutable. The constructor only
 * requires one master; {@link #read} and {@link #parse} check all other rules.
 *
 * @param database name of the database that clients connect to, on every node
 * @param shareCores whether nodes may share cores
 */
public record SystemModel(
        Listen listen,
        Observation observation,
        String database,
        Reads reads,
        Commits commits,
        Optimization optimization,
        boolean shareCores,
        List<NodeSpec> nodes) {
    /**
     * Where reads run, and what they see.
     *
     * @param beforeWrite where reads of a read-write transaction run until its first write
     * @param cache the cache of results in the middleware
     * @param classes the routing classes, in the order in which their criteria are examined
     */
    public record Reads(
            Freshness freshness, ReadsBeforeWrite beforeWrite, ResultCaching cache, List<RoutingClassSpec> classes) {
        public Reads {
            classes = List.copyOf(classes);
        }
    }

    /**
     * The order of commits, and their way to the satellites.
     *
     * @param propagation the way of changes to the satellites
     * @param receipts whether receipts of commits are written on the master, which needs Multimed's schema there
     * @param bypass treatment of writes to the master that do not come through Multimed
     */
    public record Commits(
            CommitOrdering order, Propagation propagation, boolean receipts, Bypass bypass, QueueLimits queue) {}

    /** Returns whether the satellites are the engine's own standbys. */
    public boolean hasStandbys() {
        return commits.propagation() == Propagation.LOG;
    }

    public SystemModel {
        nodes = List.copyOf(nodes);
        if (nodes.stream().filter(node -> node.role() == Role.MASTER).count() != 1) {
            throw new IllegalArgumentException("a System Model has exactly one master");
        }
    }

    /**
     * Reads a model from a YAML file.
     *
     * @throws ModelException with all problems of the model
     */
    public static SystemModel read(Path file) throws IOException, ModelException {
        return parse(text(file), file.toString());
    }

    private static String text(Path file) throws IOException, ModelException {
        String wrong = unreadable(file);
        if (wrong.isEmpty()) {
            try {
                return Files.readString(file);
            } catch (CharacterCodingException e) {
                wrong = "is not a text file in UTF-8";
            }
        }
        throw new ModelException(List.of(new Problem(
                file.toString(), 1, "", wrong, "name a System Model in YAML; examples are in deploy/models")));
    }

    private static String unreadable(Path file) {
        if (!Files.exists(file)) {
            return "does not exist";
        }
        if (Files.isDirectory(file)) {
            return "is a folder";
        }
        return Files.isReadable(file) ? "" : "cannot be read: permission denied";
    }

    /**
     * Reads a model from YAML text.
     *
     * @param file name of the file in problems
     * @throws ModelException with all problems of the model
     */
    public static SystemModel parse(String yaml, String file) throws ModelException {
        return ModelReader.read(yaml, file);
    }

    /**
     * Returns the definition of one node in a model file as YAML text, in the form that {@link #withSatellite} accepts.
     *
     * @throws ModelException if the file is not a valid model, or does not define the node
     */
    public static String nodeText(Path file, String name) throws IOException, ModelException {
        SystemModel model = read(file);
        return ModelReader.nodeText(Files.readString(file), name)
                .orElseThrow(() -> new ModelException(List.of(new Problem(
                        file.toString(),
                        1,
                        "nodes",
                        "has no node \"%s\"".formatted(name),
                        "one of "
                                + String.join(
                                        ", ",
                                        model.nodes().stream()
                                                .map(NodeSpec::name)
                                                .toList())))));
    }

    /**
     * Returns the same model with one more satellite, which is checked against all other nodes.
     *
     * @param yaml definition of the satellite, in the form of an entry of {@code nodes}
     * @param file name of the definition in problems
     * @throws ModelException with all problems of the definition
     */
    public SystemModel withSatellite(String yaml, String file) throws ModelException {
        return ModelReader.add(this, yaml, file);
    }

    public SystemModel withNodes(List<NodeSpec> others) {
        return with(listen, others);
    }

    /** Returns the same model with another section {@code listen}. */
    public SystemModel withListen(Listen other) {
        return with(other, nodes);
    }

    private SystemModel with(Listen address, List<NodeSpec> others) {
        return new SystemModel(address, observation, database, reads, commits, optimization, shareCores, others);
    }

    /** Returns the only master. */
    public NodeSpec master() {
        return nodes.stream()
                .filter(node -> node.role() == Role.MASTER)
                .findFirst()
                .orElseThrow();
    }

    /** Returns the satellites in the order of the model. */
    public List<NodeSpec> satellites() {
        return nodes.stream().filter(node -> node.role() == Role.SATELLITE).toList();
    }

    /** Returns the same model with another port for clients. */
    public SystemModel withPort(int port) {
        return with(listen.withPort(port), nodes);
    }
}
