// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import io.multimed.model.listen.Dashboard;
import io.multimed.model.listen.Listen;
import io.multimed.model.listen.ListenReader;
import io.multimed.model.listen.Monitoring;
import io.multimed.model.observation.LogSettings;
import io.multimed.model.observation.Observation;
import io.multimed.model.observation.TracingSettings;
import io.multimed.model.value.ByteSize;
import io.multimed.model.value.Durations;
import io.multimed.model.yaml.Problem;
import io.multimed.model.yaml.YamlSection;
import io.multimed.model.yaml.YamlSyntaxProblems;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Reads a whole model. Takes texts and their lines from YAML only: the YAML library creates no objects of classes that
 * a file names, so that a model from an untrusted source cannot execute code.
 */
final class ModelReader {
    // Holds the receipts of the commits of some seconds: drivers ask for them after a lost connection.
    private static final long MIN_KEPT = 16 << 20;

    private final String file;
    private final List<Problem> problems = new ArrayList<>();

    private ModelReader(String file) {
        this.file = file;
    }

    static SystemModel read(String yaml, String file) throws ModelException {
        return new ModelReader(file).read(yaml);
    }

    private SystemModel read(String yaml) throws ModelException {
        Node root = compose(yaml);
        if (root == null) {
            problems.add(
                    new Problem(file, 1, "", "is empty", "define at least a master; examples are in deploy/models"));
            throw new ModelException(problems);
        }
        YamlSection top = new YamlSection(file, "", root, problems);
        SystemModel model = model(top);
        top.finish();
        if (!problems.isEmpty() || model == null) {
            throw new ModelException(problems);
        }
        return model;
    }

    /**
     * Returns the running model with one more satellite.
     *
     * @param yaml the node, in the form of an entry of {@code nodes}
     * @throws ModelException with all problems of the node, alone or together with the running nodes
     */
    static SystemModel add(SystemModel running, String yaml, String file) throws ModelException {
        return new ModelReader(file).add(running, yaml);
    }

    private SystemModel add(SystemModel running, String yaml) throws ModelException {
        Node root = compose(yaml);
        YamlSection section = root == null ? null : new YamlSection(file, "", root, problems);
        if (section == null) {
            throw new ModelException(List.of(new Problem(file, 1, "", "is empty", "define a satellite")));
        }
        NodeSpec node = NodeReader.read(
                section,
                running.optimization(),
                running.master().engine(),
                running.commits().propagation());
        checkAddition(section, node, running);
        if (!problems.isEmpty()) {
            throw new ModelException(problems);
        }
        List<NodeSpec> nodes = new ArrayList<>(running.nodes());
        nodes.add(node);
        return running.withNodes(nodes);
    }

    private static void checkAddition(YamlSection section, NodeSpec node, SystemModel running) {
        RoutingClassReader.checkNode(
                section, node, RoutingClassReader.names(running.reads().classes()));
        checkEngine(section, node, running.master());
        if (running.hasStandbys()) {
            StandbyRules.checkNode(section, node, running.master());
        }
        if (node.role() == Role.MASTER) {
            section.problem("role", "the running system already has a master", "role: satellite");
        }
        if (running.nodes().stream().anyMatch(other -> other.name().equals(node.name()))) {
            section.problem(
                    "name",
                    "a node \"%s\" is already running".formatted(node.name()),
                    "give each node a name of its own");
        }
        running.nodes().stream()
                .filter(other -> node.port() != 0 && other.port() == node.port())
                .forEach(other -> section.problem(
                        "port",
                        "%d is also the port of %s".formatted(node.port(), other.name()),
                        "choose another port, or 0 for a free one"));
        if (!running.shareCores()) {
            checkCores(section, node, running.nodes());
        }
    }

    /** Returns the entry of {@code nodes} with this name as YAML text; empty if there is none. */
    static Optional<String> nodeText(String yaml, String name) {
        Yaml reader = new Yaml(new LoaderOptions());
        if (reader.compose(new StringReader(yaml)) instanceof MappingNode top) {
            return top.getValue().stream()
                    .filter(tuple -> isText(tuple.getKeyNode(), "nodes"))
                    .flatMap(tuple -> ((SequenceNode) tuple.getValueNode()).getValue().stream())
                    .filter(node -> node instanceof MappingNode mapping
                            && mapping.getValue().stream()
                                    .anyMatch(entry ->
                                            isText(entry.getKeyNode(), "name") && isText(entry.getValueNode(), name)))
                    .map(ModelReader::write)
                    .findFirst();
        }
        return Optional.empty();
    }

    private static boolean isText(Node node, String text) {
        return node instanceof ScalarNode scalar && scalar.getValue().equals(text);
    }

    private static String write(Node node) {
        DumperOptions options = new DumperOptions();
        options.setWidth(Integer.MAX_VALUE);
        StringWriter text = new StringWriter();
        new Yaml(options).serialize(node, text);
        return text.toString().strip();
    }

    private @Nullable Node compose(String yaml) throws ModelException {
        try {
            return new Yaml(new LoaderOptions()).compose(new StringReader(yaml));
        } catch (YAMLException e) {
            throw new ModelException(List.of(YamlSyntaxProblems.problem(file, yaml, e)));
        }
    }

    /** Returns null if a problem prevents the construction of a model. */
    private @Nullable SystemModel model(YamlSection top) {
        Listen listen = top.section("listen").map(ListenReader::read).orElse(Listen.DEFAULT);
        Optional<Monitoring> monitoring = top.section("monitoring").map(Monitoring::read);
        Optional<Dashboard> dashboard = top.section("dashboard").map(section -> Dashboard.read(section, listen));
        LogSettings log = top.section("log").map(LogSettings::read).orElse(LogSettings.DEFAULT);
        Optional<TracingSettings> tracing = top.section("tracing").map(TracingSettings::read);
        String database = EngineRules.database(top);
        Freshness freshness = top.section("freshness").map(this::freshness).orElse(Freshness.DEFAULT);
        CommitOrdering order = top.section("commit").map(this::commit).orElse(CommitOrdering.GROUP);
        Propagation propagation = top.constant("propagation", Propagation.TRIGGERS);
        ReadsBeforeWrite readsBeforeWrite = top.constant(
                "reads-before-write",
                propagation == Propagation.LOG ? ReadsBeforeWrite.MASTER : ReadsBeforeWrite.SATELLITE);
        Bypass bypass = bypass(top, propagation);
        QueueLimits queue = top.section("queue").map(this::queue).orElse(QueueLimits.DEFAULT);
        ResultCaching cache = top.section("cache").map(this::cache).orElse(ResultCaching.OFF);
        Optimization optimization = top.constant("optimization", Optimization.C1);
        boolean shareCores = top.truth("share-cores", false);
        List<RoutingClassSpec> classes = RoutingClassReader.read(top);
        List<NodeSpec> nodes = nodes(top, listen, optimization, propagation, shareCores, classes);
        boolean receipts = Propagation.receipts(top, propagation, nodes);
        if (order == CommitOrdering.CONCURRENT && propagation == Propagation.TRIGGERS) {
            top.problem(
                    "commit",
                    "order: concurrent needs propagation: log",
                    "order: group, whose COMMITs run at the same time, too");
        }
        if (propagation == Propagation.LOG) {
            StandbyRules.check(
                    top,
                    listen,
                    new SystemModel.Reads(freshness, readsBeforeWrite, cache, classes),
                    new SystemModel.Commits(order, propagation, receipts, bypass, queue),
                    nodes);
        }
        return problems.isEmpty()
                ? new SystemModel(
                        listen,
                        new Observation(monitoring, dashboard, log, tracing),
                        database,
                        new SystemModel.Reads(freshness, readsBeforeWrite, cache, classes),
                        new SystemModel.Commits(order, propagation, receipts, bypass, queue),
                        optimization,
                        shareCores,
                        nodes)
                : null;
    }

    /** Returns the treatment of writes that do not come through Multimed; each propagation has its own key. */
    private static Bypass bypass(YamlSection top, Propagation propagation) {
        Bypass captured = top.constant("bypass", Bypass.REFUSE);
        Propagation.DirectWrites direct = top.constant("direct-writes", Propagation.DirectWrites.ALLOWED);
        if (propagation == Propagation.TRIGGERS) {
            if (top.has("direct-writes")) {
                top.problem("direct-writes", "needs propagation: log", "use bypass: refuse or bypass: capture");
            }
            return captured;
        }
        if (top.has("bypass")) {
            top.problem(
                    "bypass",
                    "nothing is refused or captured with propagation: log",
                    "use direct-writes: allowed or direct-writes: none");
        }
        return direct.bypass();
    }

    private Freshness freshness(YamlSection section) {
        Freshness freshness = new Freshness(
                section.constant("policy", Freshness.DEFAULT.policy()),
                section.value("wait", Freshness.DEFAULT.longestWait(), Durations::parse),
                section.constant("without-master", Freshness.DEFAULT.withoutMaster()));
        section.finish();
        return freshness;
    }

    private CommitOrdering commit(YamlSection section) {
        CommitOrdering order = section.constant("order", CommitOrdering.GROUP);
        section.finish();
        return order;
    }

    private QueueLimits queue(YamlSection section) {
        QueueLimits queue = new QueueLimits(
                section.value("bound", QueueLimits.DEFAULT.bound(), ByteSize::parse),
                section.value("drop-after", QueueLimits.DEFAULT.dropAfter(), ByteSize::parse),
                section.value("kept-for", QueueLimits.DEFAULT.keptFor(), Durations::parse),
                section.value("kept-size", QueueLimits.DEFAULT.keptSize(), ByteSize::parse));
        if (queue.dropAfter().bytes() <= queue.bound().bytes()) {
            section.problem(
                    "drop-after",
                    queue.dropAfter() + " is not more than bound, " + queue.bound(),
                    "choose a larger value: commits must slow down before a satellite is taken out of service");
        }
        if (queue.keptSize().bytes() < MIN_KEPT) {
            section.problem(
                    "kept-size",
                    queue.keptSize() + " is too small: the outcome of recent commits would be lost",
                    "choose at least 16m");
        }
        section.finish();
        return queue;
    }

    private ResultCaching cache(YamlSection section) {
        ResultCaching cache = new ResultCaching(section.value("size", ResultCaching.OFF.size(), ByteSize::parse));
        section.finish();
        return cache;
    }

    private List<NodeSpec> nodes(
            YamlSection top,
            Listen listen,
            Optimization optimization,
            Propagation propagation,
            boolean shareCores,
            List<RoutingClassSpec> classes) {
        List<YamlSection> sections = top.sections("nodes");
        String engine = NodeReader.engine(top);
        if (!top.has("nodes") || (sections.isEmpty() && top.isList("nodes"))) {
            top.problem(
                    "nodes",
                    top.has("nodes") ? "is empty" : "is missing",
                    "write a list with one master and any number of satellites");
        }
        List<NodeSpec> nodes = new ArrayList<>();
        for (YamlSection section : sections) {
            nodes.add(NodeReader.read(section, optimization, engine, propagation));
        }
        checkTogether(top, sections, nodes, shareCores);
        checkPorts(listen, sections, nodes);
        EngineRules.check(top, sections, nodes);
        RoutingClassReader.check(top, sections, nodes, classes);
        return nodes;
    }

    /** Checks the rules that concern several nodes: one master, unique names, one engine, disjoint cores. */
    private static void checkTogether(
            YamlSection top, List<YamlSection> sections, List<NodeSpec> nodes, boolean shareCores) {
        long masters = nodes.stream().filter(node -> node.role() == Role.MASTER).count();
        if (!nodes.isEmpty() && masters != 1) {
            top.problem(
                    "nodes",
                    masters == 0 ? "there is no master" : "there are %d masters".formatted(masters),
                    "exactly one node has role: master");
        }
        Map<String, Integer> names = new HashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            NodeSpec node = nodes.get(i);
            Integer earlier = names.put(node.name(), sections.get(i).line());
            if (earlier != null) {
                sections.get(i)
                        .problem(
                                "name",
                                "\"%s\" is also the name of the node in line %d".formatted(node.name(), earlier),
                                "give each node a name of its own");
            }
            checkEngine(sections.get(i), node, nodes.get(0));
            if (!shareCores) {
                checkCores(sections.get(i), node, nodes.subList(0, i));
            }
        }
    }

    /** Reports ports that two nodes, or a node and the middleware, have in common. */
    private static void checkPorts(Listen listen, List<YamlSection> sections, List<NodeSpec> nodes) {
        Map<Integer, String> ports = new HashMap<>(Map.of(listen.port(), "listen.port"));
        for (int i = 0; i < nodes.size(); i++) {
            NodeSpec node = nodes.get(i);
            String other = node.port() == 0 ? null : ports.put(node.port(), "the port of " + node.name());
            if (other != null) {
                sections.get(i)
                        .problem(
                                "port",
                                "%d is also %s".formatted(node.port(), other),
                                "choose another port, or 0 for a free one");
            }
        }
    }

    /**
     * All nodes need the same engine: a satellite applies the master's rows, and the engines differ in types and
     * values.
     */
    private static void checkEngine(YamlSection section, NodeSpec node, NodeSpec other) {
        if (!node.engine().equals(other.engine())) {
            section.problem(
                    "engine",
                    "%s is not the engine of %s, %s".formatted(node.engine(), other.name(), other.engine()),
                    "use one engine for all nodes");
        }
    }

    /** External engines are not pinned, and may run on other machines. */
    private static void checkCores(YamlSection section, NodeSpec node, List<NodeSpec> before) {
        if (node.program().source() == Source.EXTERNAL) {
            return;
        }
        Optional<NodeSpec> overlapping = before.stream()
                .filter(other -> other.program().source() != Source.EXTERNAL
                        && other.cores().overlaps(node.cores()))
                .findFirst();
        overlapping.ifPresent(other -> section.problem(
                "cores",
                "%s overlaps with %s of %s".formatted(node.cores(), other.cores(), other.name()),
                "give each node cores of its own, or set share-cores: true"));
    }
}
