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
 * @param data folder for data on disk; empty for a folder below the state directory
 * @param port TCP port of the engine; 0 for a free one
 * @param pool maximum number of concurrent transactions on the node
 * @param settings settings of the engine, passed through unchanged
 * @param installation folder of an installed engine; otherwise empty
 * @param external access to an external engine; otherwise empty
 * @param indexes of a satellite, in addition to those of the master: the part of CREATE INDEX after ON
 * @param views the views whose rows a satellite stores
 * @param classes names of the routing classes whose reads the satellite runs; empty for all
 */
public record NodeSpec(
        String name,
        Role role,
        String engine,
        Source source,
        CoreSet cores,
        ByteSize memory,
        Storage storage,
        Optional<String> data,
        int port,
        int pool,
        Map<String, String> settings,
        Optional<String> installation,
        Optional<ExternalConnection> external,
        Tables tables,
        List<String> indexes,
        List<MaterializedViewSpec> views,
        List<String> classes) {
    /** Maximum number of concurrent transactions of a node that states none. */
    public static final int DEFAULT_POOL = 16;

    public static final ByteSize DEFAULT_MEMORY = ByteSize.megabytes(512);

    public NodeSpec {
        settings = Map.copyOf(settings);
        indexes = List.copyOf(indexes);
        views = List.copyOf(views);
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
                Source.EMBEDDED,
                cores,
                DEFAULT_MEMORY,
                storage,
                Optional.empty(),
                0,
                DEFAULT_POOL,
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                Tables.ALL,
                List.of(),
                List.of(),
                List.of());
    }

    /** Returns the same node on other cores. */
    public NodeSpec withCores(CoreSet others) {
        return new NodeSpec(
                name,
                role,
                engine,
                source,
                others,
                memory,
                storage,
                data,
                port,
                pool,
                settings,
                installation,
                external,
                tables,
                indexes,
                views,
                classes);
    }

    /** Returns the same node with another pool. */
    public NodeSpec withPool(int connections) {
        return with(source, memory, connections, settings, installation, tables, indexes, views);
    }

    /** Returns the same node with another memory budget. */
    public NodeSpec withMemory(ByteSize budget) {
        return with(source, budget, pool, settings, installation, tables, indexes, views);
    }

    /** Returns the same node with other engine settings. */
    public NodeSpec withSettings(Map<String, String> others) {
        return with(source, memory, pool, others, installation, tables, indexes, views);
    }

    /** Returns the same satellite with other tables and indexes. */
    public NodeSpec withContent(Tables held, List<String> ownIndexes) {
        return with(source, memory, pool, settings, installation, held, ownIndexes, views);
    }

    /** Returns the same node with the engine of an installation. */
    public NodeSpec withInstallation(String folder) {
        return with(Source.INSTALLED, memory, pool, settings, Optional.of(folder), tables, indexes, views);
    }

    /** Returns the same satellite with other materialized views. */
    public NodeSpec withViews(List<MaterializedViewSpec> materialized) {
        return with(source, memory, pool, settings, installation, tables, indexes, materialized);
    }

    private NodeSpec with(
            Source from,
            ByteSize budget,
            int connections,
            Map<String, String> engineSettings,
            Optional<String> folder,
            Tables held,
            List<String> ownIndexes,
            List<MaterializedViewSpec> materialized) {
        return new NodeSpec(
                name,
                role,
                engine,
                from,
                cores,
                budget,
                storage,
                data,
                port,
                connections,
                engineSettings,
                folder,
                external,
                held,
                ownIndexes,
                materialized,
                classes);
    }
}
