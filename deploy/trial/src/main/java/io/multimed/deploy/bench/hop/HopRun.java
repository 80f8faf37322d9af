// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import io.multimed.deploy.bench.workload.RowWorkload.Operation;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures all targets with each number of clients, in alternating rounds, so that a drift of the machine's speed
 * affects all equally. One target at a time has open connections: each has the whole machine during its turn, in which
 * its clients run all operations one after the other.
 */
final class HopRun {
    private static final Logger LOG = LoggerFactory.getLogger(HopRun.class);

    private static final int WARM_UP_CLIENTS = 16;

    private final HopOptions options;
    private final List<HopTarget> targets;
    private final Listener listener;

    /** Waits until the engine has forgotten the clients of the last turn. */
    private final Runnable settle;

    private final Map<Key, List<Sample>> samples = new LinkedHashMap<>();

    /** Why clients could not connect, by target and number of clients. Not attempted again. */
    private final Map<String, String> refusals = new LinkedHashMap<>();

    private int measured;

    /** Observes the progress. */
    interface Listener {
        /** @param fraction finished part of all measurements, 0 to 1 */
        void measuring(String what, double fraction);

        void refused(String target, int clients, String message);
    }

    private record Key(Operation operation, int clients, String target) {}

    HopRun(HopOptions options, List<HopTarget> targets, Listener listener, Runnable settle) {
        this.options = options;
        this.targets = targets;
        this.listener = listener;
        this.settle = settle;
    }

    /** Creates the tables of the targets, each once. */
    void prepare(List<Target> databases) throws SQLException {
        for (Target database : databases) {
            try (Connection connection = database.connect()) {
                options.workload(options.operations().get(0), 1).prepare(connection);
            }
        }
    }

    /** Returns the results in the order of operations, numbers of clients, and targets. */
    List<HopCell> run() throws InterruptedException {
        for (HopTarget target : targets) {
            warmUp(target);
        }
        for (int clients : options.clients()) {
            for (int round = 1; round <= options.rounds(); round++) {
                for (HopTarget target : targets) {
                    turn(target, clients, round);
                }
            }
        }
        return cells();
    }

    /**
     * Runs all operations once without measuring: the virtual machines of clients and middleware compile what they run
     * often, and whatever is measured first would be slow otherwise. A target that cannot be used is reported later.
     */
    private void warmUp(HopTarget target) throws InterruptedException {
        int clients = Math.min(WARM_UP_CLIENTS, Collections.max(options.clients()));
        try (HopTarget.Running running = target.start(clients);
                OpenClients open = OpenClients.connect(running.target(), clients, options.inFlight(clients))) {
            for (Operation operation : options.operations()) {
                listener.measuring("%s %s, warm-up".formatted(target.name(), operation), 0);
                new Measurement(open, options.workload(operation, clients), running.roots())
                        .run(options.warmup(), options.seconds());
            }
        } catch (RefusedException | EngineException e) {
            LOG.debug("{} is not warmed up", target.name(), e);
        }
        settle.run();
    }

    private void turn(HopTarget target, int clients, int round) throws InterruptedException {
        String place = place(target.name(), clients);
        if (refusals.containsKey(place)) {
            measured += options.operations().size();
            return;
        }
        try (HopTarget.Running running = target.start(clients);
                OpenClients open = OpenClients.connect(running.target(), clients, options.inFlight(clients))) {
            for (Operation operation : options.operations()) {
                listener.measuring(
                        "%s %s, %,d clients, round %d".formatted(target.name(), operation, clients, round), fraction());
                Sample sample = new Measurement(open, options.workload(operation, clients), running.roots())
                        .run(options.warmup(), options.seconds());
                samples.computeIfAbsent(new Key(operation, clients, target.name()), key -> new ArrayList<>())
                        .add(sample);
                measured++;
            }
        } catch (RefusedException | EngineException e) {
            String message = String.valueOf(e.getMessage()).strip().replaceAll("\\s*\\R\\s*", " | ");
            refusals.put(place, message);
            measured += options.operations().size();
            listener.refused(target.name(), clients, message);
        }
        settle.run();
    }

    private double fraction() {
        return (double) measured
                / (options.clients().size()
                        * options.rounds()
                        * targets.size()
                        * options.operations().size());
    }

    private static String place(String target, int clients) {
        return target + " " + clients;
    }

    private List<HopCell> cells() {
        List<HopCell> cells = new ArrayList<>();
        for (Operation operation : options.operations()) {
            for (int clients : options.clients()) {
                for (HopTarget target : targets) {
                    cells.add(new HopCell(
                            operation,
                            clients,
                            options.inFlight(clients),
                            target.name(),
                            samples.getOrDefault(new Key(operation, clients, target.name()), List.of()),
                            refusals.getOrDefault(place(target.name(), clients), "")));
                }
            }
        }
        return cells;
    }
}
