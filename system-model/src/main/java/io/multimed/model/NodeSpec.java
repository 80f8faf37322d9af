// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import io.multimed.model.value.ByteSize;
import io.multimed.model.value.CoreSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Definition of a Computational Node (paper §3.3.1): one engine with its cores, memory and data.
 *
 * @param engine the kind of engine, in lower case
 * @param cores the cores of the engine's processes
 * @param memory memory that the engine may use, in addition to data in memory
 * @param port TCP port of the engine; 0 for a free one
 * @param pool maximum number of concurrent transactions on the node
 * @param settings settings of the engine, passed through unchanged
 * @param classes names of the routing classes whose reads the satellite runs; empty for all
 */
public record NodeSpec(
        String name,
        Role role,
        String engine,
        Program program,
        CoreSet cores,
        ByteSize memory,
        Data data,
        int port,
        int pool,
        Map<String, String> settings,
        Content content,
        List<String> classes) {
    /** Maximum number of concurrent transactions of a node that states none. */
    public static final int DEFAULT_POOL = 16;

    public static final ByteSize DEFAULT_MEMORY = ByteSize.megabytes(512);

    /**
     * The engine's program, or where it runs.
     *
     * @param installation folder of an installed engine; otherwise empty
     * @param external access to an external engine; otherwise empty
     */
    public record Program(Source source, Optional<String> installation, Optional<ExternalConnection> external) {
        public static final Program EMBEDDED = new Program(Source.EMBEDDED, Optional.empty(), Optional.empty());

        public static Program installed(String folder) {
            return new Program(Source.INSTALLED, Optional.of(folder), Optional.empty());
        }
    }

    /**
     * Where the engine keeps its data.
     *
     * @param folder of data on disk; empty for a folder below the state directory
     */
    public record Data(Storage storage, Optional<String> folder) {}

    /**
     * What a satellite holds.
     *
     * @param indexes in addition to those of the master: the part of CREATE INDEX after ON
     * @param views the views whose rows the satellite stores
     */
    public record Content(Tables tables, List<String> indexes, List<MaterializedViewSpec> views) {
        /** All tables, as on the master. */
        public static final Content ALL = new Content(Tables.ALL, List.of(), List.of());

        public Content {
            indexes = List.copyOf(indexes);
            views = List.copyOf(views);
        }
    }

    public NodeSpec {
        settings = Map.copyOf(settings);
        classes = List.copyOf(classes);
    }

    /** Returns whether the satellite runs the reads of a routing class. */
    public boolean serves(String routingClass) {
        return classes.isEmpty() || classes.contains(routingClass);
    }

    /** Returns an embedded engine with default settings, for nodes that are created in code. */
    public static NodeSpec embedded(String name, Role role, String engine, CoreSet cores, Storage storage) {
        return new NodeSpec(
                name,
                role,
                engine,
                Program.EMBEDDED,
                cores,
                DEFAULT_MEMORY,
                new Data(storage, Optional.empty()),
                0,
                DEFAULT_POOL,
                Map.of(),
                Content.ALL,
                List.of());
    }

    public NodeSpec withCores(CoreSet others) {
        return with(program, others, memory, pool, settings, content);
    }

    public NodeSpec withPool(int connections) {
        return with(program, cores, memory, connections, settings, content);
    }

    public NodeSpec withMemory(ByteSize budget) {
        return with(program, cores, budget, pool, settings, content);
    }

    public NodeSpec withSettings(Map<String, String> others) {
        return with(program, cores, memory, pool, others, content);
    }

    public NodeSpec withProgram(Program other) {
        return with(other, cores, memory, pool, settings, content);
    }

    /** Returns the same satellite with other content. */
    public NodeSpec withContent(Content held) {
        return with(program, cores, memory, pool, settings, held);
    }

    private NodeSpec with(
            Program other,
            CoreSet others,
            ByteSize budget,
            int connections,
            Map<String, String> engineSettings,
            Content held) {
        return new NodeSpec(
                name, role, engine, other, others, budget, data, port, connections, engineSettings, held, classes);
    }
}
