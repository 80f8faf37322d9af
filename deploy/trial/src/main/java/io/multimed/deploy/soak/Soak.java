// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.soak;

import io.multimed.deploy.cluster.Verification;
import io.multimed.deploy.fault.Fault;
import io.multimed.deploy.fault.FaultInjector;
import io.multimed.deploy.fault.InjectedFault;
import io.multimed.deploy.history.Anomaly;
import io.multimed.deploy.history.HistoryChecker;
import io.multimed.deploy.history.HistoryRecorder;
import io.multimed.deploy.history.Operation;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.ThinkTime;
import io.multimed.tpcw.population.Loader;
import io.multimed.tpcw.run.RunOptions;
import io.multimed.tpcw.run.RunReport;
import io.multimed.tpcw.run.TpcwRun;
import io.multimed.tpcw.schema.Scale;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs a soak test: TPC-W ordering and a recorded history on a temporary cluster, random faults one after the other,
 * and checks at the end.
 */
public final class Soak {
    private static final Scale SCALE = new Scale(1_000, 1);

    /** For a soak of less than {@link #SHORT_SECONDS}, which would otherwise spend most of its time with loading. */
    private static final Scale SHORT_SCALE = new Scale(100, 1);

    private static final long SHORT_SECONDS = 60;
    private static final double READ_SHARE = 0.5;

    /** Limits the history of half an hour to a few hundred megabytes. */
    private static final long RECORDER_PAUSE_MILLIS = 40;

    /** Time before a fault is healed; longer for a slow process or a full disk, which take effect slowly. */
    private static final int SHORT_DAMAGE_MILLIS = 1_000;

    private static final int LONG_DAMAGE_MILLIS = 6_000;
    /** Satellites are verified before the next fault if this much time remains. */
    private static final Duration ROOM_FOR_VERIFY = Duration.ofSeconds(6);

    private static final int SAMPLES = 90;
    private static final long FASTEST_SAMPLES_MILLIS = 1_000;

    private final SoakOptions options;
    private final Consumer<String> progress;
    private final SplittableRandom random;
    private final SoakCluster cluster;
    private final RecoveryProbe recovery;
    private final List<FaultRecovery> incidents = new ArrayList<>();
    private final List<Fault> upcoming = new ArrayList<>();
    private final List<String> troubles = new ArrayList<>();

    private Soak(SoakOptions options, Consumer<String> progress, SoakCluster cluster) {
        this.options = options;
        this.progress = progress;
        this.random = new SplittableRandom(options.seed());
        this.cluster = cluster;
        this.recovery = new RecoveryProbe(cluster.target());
    }

    /**
     * Runs a soak test to its end.
     *
     * @param progress receives a line for each event
     */
    public static SoakReport run(SoakOptions options, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        progress.accept("starting a master, two satellites and the middleware, each a process of its own");
        try (SoakCluster cluster = new SoakCluster(options.engine(), options.propagation())) {
            return new Soak(options, progress, cluster).run();
        }
    }

    /**
     * Loads the database, waits until the satellites have the data, and then runs the load, the recorder and the faults
     * at the same time.
     */
    private SoakReport run() throws IOException, SQLException, InterruptedException {
        recovery.prepare();
        try (Connection connection = cluster.target().connect()) {
            new Loader(connection, scale(options), options.seed(), (what, fraction) -> {}).load();
        }
        recovery.settled();
        progress.accept("TPC-W ordering from %d browsers, a history from %d clients, a fault every %d s"
                .formatted(
                        options.browsers(),
                        options.recorders(),
                        options.killEvery().toSeconds()));
        FutureTask<RunReport> load = new FutureTask<>(this::browse);
        long every = Math.max(FASTEST_SAMPLES_MILLIS, options.length().toMillis() / SAMPLES);
        try (JvmMonitor signs = JvmMonitor.watch(cluster.managementPort(), every)) {
            HistoryRecorder recorder = HistoryRecorder.start(
                    cluster.target(), options.recorders(), READ_SHARE, options.isolation(), RECORDER_PAUSE_MILLIS);
            Thread browsing = new Thread(load, "browsing");
            browsing.setDaemon(true);
            browsing.start();
            injectFaults();
            RunReport report = result(load);
            return judge(report, recorder.stop(), recorder, signs.samples());
        }
    }

    /** Runs the ordering mix, which writes most, without think times. */
    private RunReport browse() throws InterruptedException {
        RunOptions run = new RunOptions(
                Mix.ORDERING,
                options.browsers(),
                (int) options.length().toSeconds(),
                0,
                ThinkTime.NONE,
                scale(options),
                options.seed());
        return TpcwRun.run(cluster.target(), run, (target, round, fraction, wips, millis, errors) -> {});
    }

    private static RunReport result(FutureTask<RunReport> load) throws InterruptedException {
        try {
            return load.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the load stopped", e.getCause());
        }
    }

    /** Injects faults until one interval before the end, which remains for the last recovery. Faults do not overlap. */
    private void injectFaults() throws InterruptedException {
        long begin = System.nanoTime();
        long last = begin + options.length().minus(options.killEvery()).toNanos();
        long next =
                begin + Math.min(options.killEvery().toNanos(), options.length().toNanos() / 4);
        for (;
                next <= last;
                next = Math.max(System.nanoTime(), next + options.killEvery().toNanos())) {
            TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
            FaultRecovery incident = inject(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin));
            incidents.add(incident);
            progress.accept(incident.toString());
            if (incident.isOver()
                    && System.nanoTime() + ROOM_FOR_VERIFY.toNanos()
                            < next + options.killEvery().toNanos()) {
                verifyUnderLoad(incident);
            }
        }
    }

    /** Verifies after each fault, because the cause of a difference is easiest to find before the next fault. */
    private void verifyUnderLoad(FaultRecovery incident) {
        try (Connection connection = cluster.target().connect()) {
            Verification.run(connection, Optional.empty(), false).findings().stream()
                    .filter(finding -> !finding.isEqual())
                    .map(finding -> "after " + incident.fault() + " at " + incident.atSeconds() + " s: " + finding)
                    .forEach(this::report);
        } catch (SQLException e) {
            report("after %s at %d s: no comparison: %s"
                    .formatted(incident.fault(), incident.atSeconds(), e.getMessage()));
        }
    }

    private void report(String trouble) {
        troubles.add(trouble);
        progress.accept(trouble);
    }

    /** Returns each kind of fault once, in random order, before any kind is repeated. */
    private Fault nextFault() {
        if (upcoming.isEmpty()) {
            upcoming.addAll(options.faults());
            Collections.shuffle(upcoming, new Random(random.nextLong()));
        }
        return upcoming.remove(upcoming.size() - 1);
    }

    /**
     * Injects one fault, heals it in another thread, and measures the recovery meanwhile: service may return before the
     * fault is healed.
     */
    private FaultRecovery inject(long atSeconds) throws InterruptedException {
        Fault fault = nextFault();
        String satellite = cluster.satelliteNames()
                .get(random.nextInt(cluster.satelliteNames().size()));
        long since = System.nanoTime();
        InjectedFault damage = new FaultInjector(cluster.victims()).inject(fault, satellite);
        FutureTask<Long> healing = new FutureTask<>(() -> heal(damage, fault, since));
        Thread healer = new Thread(healing, "healer");
        healer.setDaemon(true);
        healer.start();
        long service = recovery.service(since);
        long healed = healed(healing);
        return new FaultRecovery(atSeconds, fault, satellite, healed, service, recovery.whole(since));
    }

    /** Heals a fault after its least duration. Returns the milliseconds from the fault until its end. */
    private long heal(InjectedFault damage, Fault fault, long since) throws InterruptedException {
        int least = switch (fault) {
            case HANG_MASTER, HANG_SATELLITE, SLOW_SATELLITE, FULL_DISK -> LONG_DAMAGE_MILLIS;
            default -> SHORT_DAMAGE_MILLIS;
        };
        TimeUnit.MILLISECONDS.sleep(least);
        damage.heal();
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
    }

    private static long healed(FutureTask<Long> healing) throws InterruptedException {
        try {
            return healing.get();
        } catch (ExecutionException e) {
            throw new EngineException("a fault cannot be healed: " + e.getMessage(), e);
        }
    }

    /**
     * Judges the soak after the load has ended: memory, satellites at rest, the history, and a comparison of all
     * tables.
     */
    private SoakReport judge(
            RunReport load, List<Operation> operations, HistoryRecorder recorder, List<JvmMonitor.Sample> samples)
            throws SQLException, InterruptedException {
        progress.accept("the load has ended; comparing");
        troubles.addAll(JvmMonitor.growth(samples));
        if (!recovery.settled()) {
            troubles.add("the satellites did not apply all published WriteSets in time");
        }
        List<Anomaly> anomalies;
        Verification verification;
        try (Connection connection = cluster.target().connect()) {
            anomalies = HistoryChecker.check(operations, recorder.finalState(connection));
            verification = Verification.run(connection, Optional.empty(), false);
        }
        anomalies.forEach(anomaly -> troubles.add(anomaly.toString()));
        if (!verification.isGood()) {
            troubles.add("a satellite differs from the master");
        }
        incidents.stream()
                .filter(incident -> !incident.isOver())
                .forEach(incident -> troubles.add("never recovered: " + incident));
        long ended = operations.stream()
                .filter(operation -> operation.type() != Operation.Type.INVOKE)
                .count();
        long unknown = operations.stream()
                .filter(operation -> operation.type() == Operation.Type.INFO)
                .count();
        return new SoakReport(
                options,
                List.copyOf(incidents),
                load,
                operations,
                ended,
                unknown,
                anomalies,
                verification,
                samples,
                List.copyOf(troubles));
    }

    private static Scale scale(SoakOptions options) {
        return options.length().toSeconds() < SHORT_SECONDS ? SHORT_SCALE : SCALE;
    }
}
