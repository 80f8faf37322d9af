// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.admission;

import io.multimed.engine.sql.Classification;
import io.multimed.server.node.NamedThreads;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The routing classes of the System Model. Finds the class of a read. Thread-safe. */
public final class RoutingClasses implements AutoCloseable {
    /** The class of all reads that belong to no other class; it has no limits. */
    public static final String DEFAULT = "default";

    /** Replaced as a whole by {@link #replace}. */
    private volatile List<RoutingClass> classes = List.of();

    private volatile @Nullable StatementCosts costs;

    /** Ends waits, and begins reads that have waited; neither blocks. */
    private final ScheduledThreadPoolExecutor clock =
            new ScheduledThreadPoolExecutor(1, new NamedThreads("routing-classes"));

    /** @param definitions in the order in which their criteria are examined */
    public RoutingClasses(List<RoutingClass.Definition> definitions) {
        clock.setRemoveOnCancelPolicy(true);
        replace(definitions);
    }

    /**
     * Replaces the definitions of the classes, for reads that begin from now on. A class whose definition is the same
     * goes on; reads of the others end, and wait, under the definition with which they have begun.
     */
    public synchronized void replace(List<RoutingClass.Definition> definitions) {
        List<RoutingClass> before = classes;
        if (costs == null && definitions.stream().anyMatch(each -> each.slowerThanNanos() > 0)) {
            costs = new StatementCosts();
        }
        classes = definitions.stream().map(each -> keepOrCreate(before, each)).toList();
    }

    private RoutingClass keepOrCreate(List<RoutingClass> before, RoutingClass.Definition definition) {
        return before.stream()
                .filter(each -> each.definition().isSameAs(definition))
                .findFirst()
                .orElseGet(() -> new RoutingClass(definition, clock));
    }

    /** Returns the costs of statements; null if no class depends on them. */
    public @Nullable StatementCosts costs() {
        return costs;
    }

    /**
     * Returns the class of a read: that of its hint, or the first whose criteria the read meets; null if none does.
     *
     * @throws SQLException 22023 if the hint names no class
     */
    public @Nullable RoutingClass of(Classification classification, String sql) throws SQLException {
        String hint = classification.hints().routingClass();
        if (hint != null) {
            return named(hint);
        }
        for (RoutingClass each : classes) {
            if (meets(each.definition(), classification, sql)) {
                return each;
            }
        }
        return null;
    }

    private @Nullable RoutingClass named(String hint) throws SQLException {
        for (RoutingClass each : classes) {
            if (each.name().equals(hint)) {
                return each;
            }
        }
        if (hint.equals(DEFAULT)) {
            return null;
        }
        String known = classes.stream().map(RoutingClass::name).collect(Collectors.joining(", "));
        throw new SQLException(
                "the hint class=%s names no routing class of the System Model, which defines %s"
                        .formatted(hint, classes.isEmpty() ? "none" : known),
                "22023");
    }

    private boolean meets(RoutingClass.Definition definition, Classification classification, String sql) {
        return definition.hasCriteria()
                && (definition.tables().isEmpty() || namesOneOf(definition, classification))
                && (definition.slowerThanNanos() == 0 || isSlower(definition.slowerThanNanos(), sql))
                && (definition.pattern() == null || BoundedText.mayContain(sql, definition.pattern()));
    }

    private static boolean namesOneOf(RoutingClass.Definition definition, Classification classification) {
        return classification.tables().stream()
                .anyMatch(named -> definition.tables().contains(named)
                        || definition.tables().contains(named.substring(named.lastIndexOf('.') + 1)));
    }

    private boolean isSlower(long nanos, String sql) {
        StatementCosts known = costs;
        return known != null && known.of(sql) > nanos;
    }

    /** Returns the state of all classes. */
    public List<RoutingClass.Statistics> statistics() {
        return classes.stream().map(RoutingClass::statistics).toList();
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
