// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import io.multimed.engine.Engines;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.ExternalConnection;
import io.multimed.model.ModelException;
import io.multimed.model.NodeSpec;
import io.multimed.model.Source;
import io.multimed.model.SystemModel;
import io.multimed.model.change.Effect;
import io.multimed.model.change.LiveModel;
import io.multimed.model.change.ModelPlan;
import io.multimed.model.change.PlannedChange;
import io.multimed.server.audit.AuditLog;
import io.multimed.server.dispatcher.administration.Administration.DrainOptions;
import io.multimed.server.dispatcher.administration.Administration.StepReport;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.propagation.commit.Master;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes the running system so that it corresponds to another System Model, as far as that is possible without a
 * restart of the middleware. Everything is checked first; then the steps run in an order in which each table keeps its
 * satellites: settings, cores, new satellites, changed satellites one after the other, removed satellites, users. A
 * second change is refused while one is in progress.
 */
final class ModelChanger {
    /** Settings that are changed together with the users. */
    private static final Set<String> USERS = Set.of("listen.users-file", "listen.pass-through");

    private static final Logger LOG = LoggerFactory.getLogger(ModelChanger.class);

    private final SatelliteManager satellites;
    private final Master master;
    private final SatelliteProvisioner provisioner;
    private final Supplier<LiveSettings> settings;
    private final AuditLog audit;
    private final AtomicBoolean isBusy = new AtomicBoolean();

    /**
     * @param settings returns the parts of the middleware, which is completely started when a model is changed
     * @param audit records the steps
     */
    ModelChanger(
            SatelliteManager satellites,
            Master master,
            SatelliteProvisioner provisioner,
            Supplier<LiveSettings> settings,
            AuditLog audit) {
        this.satellites = satellites;
        this.master = master;
        this.provisioner = provisioner;
        this.settings = settings;
        this.audit = audit;
    }

    /** One step of a change. */
    private record Step(String what, Work work) {}

    private interface Work {
        void run() throws SQLException, IOException, InterruptedException;
    }

    /**
     * Returns what would be changed.
     *
     * @throws SQLException 22023 with all problems of the model
     */
    ModelPlan plan(String yaml) throws SQLException {
        return ModelPlan.of(satellites.model(), parse(yaml));
    }

    private static SystemModel parse(String yaml) throws SQLException {
        try {
            return SystemModel.parse(yaml, "model");
        } catch (ModelException e) {
            throw new SQLException(String.valueOf(e.getMessage()), "22023", e);
        }
    }

    /**
     * Makes the changes that are possible without a restart. Ends at the first step that fails; the report contains all
     * steps.
     *
     * @param expected the fingerprint of the plan that was confirmed; empty for any plan
     * @param wait how long transactions on a satellite may continue that has to be drained
     * @throws SQLException if the model, or a check before the first step, is wrong: nothing was changed then
     */
    List<StepReport> apply(String yaml, Optional<String> expected, Duration wait)
            throws SQLException, InterruptedException {
        SystemModel wanted = parse(yaml);
        if (!isBusy.compareAndSet(false, true)) {
            throw new SQLException("another change of the model is in progress; wait until it ends", "55006");
        }
        try {
            ModelPlan plan = ModelPlan.of(satellites.model(), wanted);
            if (expected.isPresent() && !expected.get().equals(plan.fingerprint())) {
                throw new SQLException(
                        "the running system has changed since the plan was made: make another plan", "55000");
            }
            check(plan, wanted);
            return run(steps(plan, wanted, new DrainOptions(wait, false)));
        } finally {
            isBusy.set(false);
        }
    }

    private void check(ModelPlan plan, SystemModel wanted) throws SQLException {
        SystemModel next = LiveModel.withUsers(LiveModel.of(satellites.model(), wanted), wanted);
        UserSettings.refuseRolesUnlessSupported(next);
        UserSettings.refuseOpenPorts(next);
        UserSettings.refusePassThroughWithoutTls(next);
        try {
            LiveSettings.check(next);
        } catch (IOException e) {
            throw new SQLException(String.valueOf(e.getMessage()), "58030", e);
        }
        for (NodeSpec node : wanted.satellites()) {
            if (isStarted(plan, node.name())) {
                checkPort(node);
                provisioner.check(node);
                if (node.program().source() == Source.EXTERNAL) {
                    checkAccess(node);
                }
            }
        }
        for (PlannedChange change : plan.live()) {
            if (change.part() == PlannedChange.Part.NODE && change.kind() != PlannedChange.Kind.ADD) {
                satellites.checkFree(change.name());
            }
        }
    }

    /** Returns whether the plan starts the engine of a satellite. */
    private static boolean isStarted(ModelPlan plan, String node) {
        return plan.live().stream()
                .filter(change -> change.part() == PlannedChange.Part.NODE
                        && change.name().equals(node))
                .anyMatch(change -> change.kind() == PlannedChange.Kind.ADD || change.effect() == Effect.ENGINE);
    }

    /** A node that is to be removed still uses its port when others are added. */
    private void checkPort(NodeSpec node) throws SQLException {
        for (NodeSpec other : satellites.model().nodes()) {
            if (node.port() != 0 && other.port() == node.port() && !other.name().equals(node.name())) {
                throw new SQLException(
                        "the port %d of %s is still that of %s: choose another port, or remove %s before by a change of its own"
                                .formatted(node.port(), node.name(), other.name(), other.name()),
                        "22023");
            }
        }
    }

    private static void checkAccess(NodeSpec node) throws SQLException {
        ExternalConnection external = node.program().external().orElseThrow();
        NodeAccess access = new NodeAccess(
                node.name(),
                external.url(),
                external.user(),
                external.password().reveal());
        try (Connection connection = Engines.of(node.engine()).connectOwn(access)) {
            LOG.debug("{} can be reached: {}", node.name(), connection);
        } catch (SQLException e) {
            throw access.unreached(e);
        }
    }

    private List<Step> steps(ModelPlan plan, SystemModel wanted, DrainOptions options) {
        List<Step> steps = new ArrayList<>();
        addSettings(plan, wanted, steps);
        for (NodeSpec node : wanted.nodes()) {
            if (changes(plan, node.name(), "cores")) {
                steps.add(new Step(
                        "node %s: move to cores %s".formatted(node.name(), node.cores()),
                        () -> pin(node.name(), node)));
            }
        }
        for (PlannedChange change : nodes(plan, PlannedChange.Kind.ADD)) {
            steps.add(new Step(
                    "node %s: add".formatted(change.name()), () -> satellites.add(find(wanted, change.name()))));
        }
        for (NodeSpec node : wanted.satellites()) {
            addChange(plan, node, options, steps);
        }
        for (PlannedChange change : nodes(plan, PlannedChange.Kind.REMOVE)) {
            steps.add(new Step(
                    "node %s: remove".formatted(change.name()),
                    () -> satellites.removeOrReadmit(change.name(), options)));
        }
        addUsers(plan, wanted, steps);
        return steps;
    }

    private void addSettings(ModelPlan plan, SystemModel wanted, List<Step> steps) {
        List<String> keys = plan.live().stream()
                .filter(ModelChanger::isSetting)
                .map(change -> change.part() == PlannedChange.Part.CLASS ? change.object() : change.key())
                .distinct()
                .toList();
        if (!keys.isEmpty()) {
            steps.add(new Step("settings: " + String.join(", ", keys), () -> {
                SystemModel running = satellites.model();
                SystemModel next = LiveModel.of(running, wanted);
                settings.get().apply(running, next);
                satellites.adopt(next);
            }));
        }
    }

    private static boolean isSetting(PlannedChange change) {
        return switch (change.part()) {
            case MODEL -> !USERS.contains(change.key());
            case CLASS -> true;
            case NODE, USER -> false;
        };
    }

    private void addUsers(ModelPlan plan, SystemModel wanted, List<Step> steps) {
        boolean changed = plan.live().stream()
                .anyMatch(change -> change.part() == PlannedChange.Part.USER || USERS.contains(change.key()));
        if (changed) {
            steps.add(new Step("users", () -> {
                SystemModel next = LiveModel.withUsers(satellites.model(), wanted);
                settings.get().applyUsers(next);
                satellites.adopt(next);
            }));
        }
    }

    private static boolean changes(ModelPlan plan, String node, String key) {
        return plan.live().stream()
                .anyMatch(change -> change.part() == PlannedChange.Part.NODE
                        && change.name().equals(node)
                        && change.key().equals(key));
    }

    private static List<PlannedChange> nodes(ModelPlan plan, PlannedChange.Kind kind) {
        return plan.live().stream()
                .filter(change -> change.part() == PlannedChange.Part.NODE && change.kind() == kind)
                .toList();
    }

    private void pin(String name, NodeSpec wanted) throws SQLException {
        ComputationalNode computational = name.equals(master.node().name())
                ? master.node()
                : satellites.find(name).node();
        satellites.pin(satellites.node(name).withCores(wanted.cores()), computational);
    }

    private void addChange(ModelPlan plan, NodeSpec node, DrainOptions options, List<Step> steps) {
        List<PlannedChange> all = plan.changes().stream()
                .filter(change -> change.part() == PlannedChange.Part.NODE
                        && change.name().equals(node.name())
                        && change.kind() == PlannedChange.Kind.CHANGE
                        && !change.key().equals("cores"))
                .toList();
        boolean possible = !all.isEmpty() && all.stream().allMatch(PlannedChange::isLive);
        if (possible) {
            boolean engine = all.stream().anyMatch(change -> change.effect() == Effect.ENGINE);
            String keys = String.join(", ", all.stream().map(PlannedChange::key).toList());
            steps.add(new Step(
                    "node %s: change %s".formatted(node.name(), keys), () -> satellites.change(node, engine, options)));
        }
    }

    private static NodeSpec find(SystemModel model, String name) {
        return model.nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private List<StepReport> run(List<Step> steps) {
        List<StepReport> reports = new ArrayList<>();
        boolean failed = false;
        for (Step step : steps) {
            StepReport report = failed ? new StepReport(step.what, StepReport.NOT_DONE, "") : run(step);
            failed = !report.outcome().equals(StepReport.DONE);
            LOG.info("change of the model: {}: {} {}", report.step(), report.outcome(), report.detail());
            audit.record("model", report.outcome(), report.step());
            reports.add(report);
        }
        return reports;
    }

    private static StepReport run(Step step) {
        try {
            step.work.run();
            return new StepReport(step.what, StepReport.DONE, "");
        } catch (SQLException | IOException | RuntimeException e) {
            LOG.debug("a change of the model failed", e);
            return new StepReport(step.what, StepReport.FAILED, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            return new StepReport(step.what, StepReport.FAILED, "canceled on request");
        }
    }
}
