// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.monitoring;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.multimed.server.dispatcher.administration.StatusReport;
import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.node.Refusals;
import io.multimed.server.observation.Phase;
import io.multimed.server.propagation.commit.Standstill;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The counters and states that the middleware keeps anyway: of the nodes, the commit groups, the result cache, the
 * routing classes, the clients and the memory. Nodes come and go; {@link #refresh} follows them, called by one thread
 * at a time.
 */
final class ServerMetrics {
    private final MeterRegistry registry;
    private final MonitoredServer server;

    /** The last state of each node, which its meters read. */
    private final Map<String, StatusReport.NodeStatus> nodes = new ConcurrentHashMap<>();

    private final Map<String, List<Meter>> meters = new HashMap<>();

    /** By routing class. */
    private final Map<String, List<Meter>> classMeters = new HashMap<>();

    private final Runnable beforeRead;

    /** @param beforeRead called before the state of a node is read; may call {@link #refresh} */
    ServerMetrics(MeterRegistry registry, MonitoredServer server, Runnable beforeRead) {
        this.beforeRead = beforeRead;
        this.registry = registry;
        this.server = server;
        commits();
        cache();
        clients();
        limits();
        reports();
    }

    private void commits() {
        counter(
                "multimed.commit.groups",
                "Groups of transactions that shared a flush",
                Tags.empty(),
                s -> s.commits().counts().get().groups());
        counter(
                "multimed.commits",
                "Committed transactions that changed rows",
                Tags.empty(),
                s -> s.commits().counts().get().commits());
        counter(
                "multimed.commits.stopped",
                "Commits that were stopped because all others waited for them",
                Tags.empty(),
                s -> s.commits().stopped().getAsLong());
        gauge(
                "multimed.commit.standstill.seconds",
                "Time for which no commit has ended, although some have begun; 0 below 3 s",
                Tags.empty(),
                s -> s.commits().standstill().get().map(Standstill::seconds).orElse(0L));
        gauge(
                "multimed.scn",
                "The last published SCN; with propagation: log, the position in the log in bytes",
                Tags.empty(),
                s -> s.commits().publishedScn().getAsLong());
        gauge(
                "multimed.master.lease",
                "Whether this middleware holds the master",
                Tags.empty(),
                s -> s.condition().holdsMaster().getAsBoolean() ? 1 : 0);
    }

    private void cache() {
        counter(
                "multimed.cache.hits",
                "Reads answered from the result cache",
                Tags.empty(),
                s -> s.reads().cache().get().hits());
        counter(
                "multimed.cache.misses",
                "Reads that the result cache could not answer",
                Tags.empty(),
                s -> s.reads().cache().get().misses());
        counter(
                "multimed.cache.outdated",
                "Misses because the kept result was outdated",
                Tags.empty(),
                s -> s.reads().cache().get().outdated());
        counter(
                "multimed.cache.awaited",
                "Reads that took the result of an equal read",
                Tags.empty(),
                s -> s.reads().cache().get().awaited());
        counter(
                "multimed.cache.bypassed",
                "Reads of statements that bypass the cache for some time",
                Tags.empty(),
                s -> s.reads().cache().get().bypassed());
        gauge(
                "multimed.cache.entries",
                "Results in the cache",
                Tags.empty(),
                s -> s.reads().cache().get().entries());
        gauge(
                "multimed.cache.bytes",
                "Size of the results in the cache",
                Tags.empty(),
                s -> s.reads().cache().get().bytes());
    }

    private void clients() {
        gauge(
                "multimed.freshness.waiting",
                "Reads that wait until a satellite is fresh enough",
                Tags.empty(),
                s -> s.reads().freshnessWaiting().getAsInt());
        gauge(
                "multimed.clients",
                "Clients that have logged in",
                Tags.empty(),
                s -> s.clients().count().getAsInt());
        gauge(
                "multimed.clients.max",
                "Maximum number of clients",
                Tags.empty(),
                s -> s.clients().most().getAsInt());
        gauge(
                "multimed.pinned.clients",
                "Clients that keep a connection to the master",
                Tags.empty(),
                s -> s.clients().pinned().getAsInt());
        gauge(
                "multimed.memory.used.bytes",
                "Memory that requests and results of clients use",
                Tags.empty(),
                s -> s.memory().taken());
        gauge(
                "multimed.memory.max.bytes",
                "Memory that requests and results of clients may use",
                Tags.empty(),
                s -> s.memory().most());
    }

    private void limits() {
        for (Refusals.Limit limit : Refusals.Limit.values()) {
            counter(
                    "multimed.limit.refusals",
                    "Clients, statements and requests that a limit has refused",
                    Tags.of("limit", limit.key()),
                    s -> s.refused(limit));
        }
    }

    private void reports() {
        for (Phase phase : Phase.values()) {
            counter(
                    "multimed.slow.statements",
                    "Slow statements by the phase that took longest",
                    Tags.of("phase", phase.name().toLowerCase(Locale.ROOT)),
                    s -> s.observer().slowStatements().count(phase));
        }
        counter(
                "multimed.statement.reports.lost",
                "Reports of statements that were lost, because too many were waiting",
                Tags.empty(),
                s -> s.observer().lost());
        counter(
                "multimed.spans.lost",
                "Spans that could not be sent to the collector",
                Tags.empty(),
                s -> s.observer().lostSpans());
        counter(
                "multimed.audit.lost",
                "Events of the audit log that could not be written",
                Tags.empty(),
                s -> s.audit().lost());
    }

    private List<Meter> metersOfClass(String name) {
        Tags tags = Tags.of("class", name);
        return List.of(
                gauge(
                        "multimed.class.running",
                        "Reads of the routing class that run",
                        tags,
                        s -> ofClass(s, name, RoutingClass.Statistics::running)),
                gauge(
                        "multimed.class.waiting",
                        "Reads of the routing class that wait",
                        tags,
                        s -> ofClass(s, name, RoutingClass.Statistics::waiting)),
                counter(
                        "multimed.class.admitted",
                        "Reads of the routing class that were admitted",
                        tags,
                        s -> ofClass(s, name, RoutingClass.Statistics::admitted)),
                counter(
                        "multimed.class.refused",
                        "Reads of the routing class that were refused",
                        tags,
                        s -> ofClass(s, name, RoutingClass.Statistics::refused)));
    }

    /** Returns a value of a class; 0 for a class that has just been removed. */
    private static double ofClass(
            MonitoredServer server, String name, ToDoubleFunction<RoutingClass.Statistics> value) {
        return server.reads().routingClasses().get().stream()
                .filter(each -> each.name().equals(name))
                .mapToDouble(value)
                .findFirst()
                .orElse(0);
    }

    /** Reads the state of the nodes, and adds and removes meters as nodes and routing classes come and go. */
    void refresh() {
        refreshNodes();
        Set<String> present = server.reads().routingClasses().get().stream()
                .map(RoutingClass.Statistics::name)
                .collect(Collectors.toSet());
        removeAbsent(classMeters, present);
        present.forEach(name -> classMeters.computeIfAbsent(name, this::metersOfClass));
    }

    private void refreshNodes() {
        Map<String, StatusReport.NodeStatus> present = new HashMap<>();
        server.status().get().nodes().forEach(node -> present.put(node.name(), node));
        nodes.keySet().removeIf(name -> !present.containsKey(name));
        nodes.putAll(present);
        removeAbsent(meters, present.keySet());
        present.forEach((name, node) -> meters.computeIfAbsent(name, unused -> metersOf(node)));
    }

    private void removeAbsent(Map<String, List<Meter>> all, Set<String> present) {
        all.entrySet().removeIf(entry -> {
            boolean gone = !present.contains(entry.getKey());
            if (gone) {
                entry.getValue().forEach(registry::remove);
            }
            return gone;
        });
    }

    private List<Meter> metersOf(StatusReport.NodeStatus node) {
        Tags tags = Tags.of("node", node.name(), "role", node.role());
        List<Meter> all = new ArrayList<>();
        all.add(gauge(
                tags,
                node,
                "online",
                "Whether the node serves clients",
                n -> n.state().equals("ONLINE") ? 1 : 0));
        all.add(gauge(
                tags,
                node,
                "applied.scn",
                "SCN up to which the node shows all commits; with propagation: log, the position in the log in bytes",
                StatusReport.NodeStatus::applied));
        all.add(gauge(
                tags,
                node,
                "lag.scns",
                "Published SCNs that the node has not applied; with propagation: log, bytes of the log",
                StatusReport.NodeStatus::lagScns));
        all.add(gauge(
                tags,
                node,
                "lag.seconds",
                "Age of the oldest change that the node has not applied",
                n -> n.lagMillis() / 1_000));
        all.add(gauge(
                tags, node, "transactions", "Transactions that run on the node", StatusReport.NodeStatus::active));
        all.add(gauge(
                tags,
                node,
                "waiting",
                "Requests that wait for a connection to the node",
                StatusReport.NodeStatus::waiting));
        all.add(gauge(
                tags,
                node,
                "connections",
                "Connections to the node that transactions may use",
                StatusReport.NodeStatus::connections));
        all.add(counter(tags, node, "reads", "Reads that the node has run", StatusReport.NodeStatus::reads));
        all.add(counter(
                tags,
                node,
                "shared.reads",
                "Reads that ran in one message with others",
                StatusReport.NodeStatus::sharedReads));
        all.add(counter(tags, node, "updates", "Updates that the node has run", StatusReport.NodeStatus::updates));
        if (node.role().equals("satellite")) {
            applier(tags, node, all);
        }
        return all;
    }

    private void applier(Tags tags, StatusReport.NodeStatus node, List<Meter> all) {
        all.add(gauge(
                tags,
                node,
                "queue.bytes",
                "Size of the WriteSets that wait to be applied",
                n -> n.applier().queuedBytes()));
        all.add(counter(
                tags,
                node,
                "applied.writesets",
                "WriteSets that the node has applied",
                n -> n.applier().writeSets()));
        all.add(counter(
                tags,
                node,
                "apply.transactions",
                "Transactions in which the node has applied WriteSets",
                n -> n.applier().transactions()));
        all.add(counter(
                tags,
                node,
                "apply.seconds",
                "Time that the node has needed to apply WriteSets",
                n -> n.applier().nanos() / 1e9));
    }

    private Gauge gauge(
            Tags tags,
            StatusReport.NodeStatus node,
            String name,
            String description,
            ToDoubleFunction<StatusReport.NodeStatus> value) {
        return Gauge.builder("multimed.node." + name, this, self -> self.last(node, value))
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private FunctionCounter counter(
            Tags tags,
            StatusReport.NodeStatus node,
            String name,
            String description,
            ToDoubleFunction<StatusReport.NodeStatus> value) {
        return FunctionCounter.builder("multimed.node." + name, this, self -> self.last(node, value))
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private double last(StatusReport.NodeStatus node, ToDoubleFunction<StatusReport.NodeStatus> value) {
        beforeRead.run();
        return value.applyAsDouble(nodes.getOrDefault(node.name(), node));
    }

    private Gauge gauge(String name, String description, Tags tags, ToDoubleFunction<MonitoredServer> value) {
        return Gauge.builder(name, server, value)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private FunctionCounter counter(
            String name, String description, Tags tags, ToDoubleFunction<MonitoredServer> value) {
        return FunctionCounter.builder(name, server, value)
                .description(description)
                .tags(tags)
                .register(registry);
    }
}
