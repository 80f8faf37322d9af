// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.cluster.DefaultStateFolder;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.StateLock;
import io.multimed.deploy.terminal.Progress;
import io.multimed.embedded.EmbeddedUrl;
import io.multimed.model.Optimization;
import io.multimed.model.Propagation;
import io.multimed.model.value.ByteSize;
import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import io.multimed.tpcw.population.Loader;
import io.multimed.tpcw.run.Comparison;
import io.multimed.tpcw.run.RunProgress;
import io.multimed.tpcw.run.Target;
import io.multimed.tpcw.run.TpcwRun;
import io.multimed.tpcw.schema.Schema;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Starts a plain engine and Multimed on the same cores, loads both, runs TPC-W on both, and prints the comparison. The
 * databases are kept, so that the next run needs no load. The exit code is 0 if no interaction failed.
 */
@Command(
        name = "quickstart",
        description = {
            "Compare a plain engine with Multimed: run TPC-W on both, on the same cores.",
            "Without --html the report is written to report.html in the folder of --state."
        },
        exitCodeList = {
            "0:no interaction failed",
            "1:an interaction failed, or an engine did not start; the message says why",
            "2:the command line is wrong; nothing was started"
        },
        footer = {
            "  multimed quickstart",
            "  multimed quickstart --engine ENGINE --rounds 3 --json figures.json",
            "  multimed quickstart --propagation log --level C1",
            "  multimed quickstart --embedded"
        },
        mixinStandardHelpOptions = true)
public final class QuickstartCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(QuickstartCommand.class);
    /** Shown characters of a statement. */
    private static final int SHOWN = 100;

    private static final ByteSize CACHE_AT_C2 = ByteSize.megabytes(256);

    @Spec
    private CommandSpec spec;

    @Mixin
    private EngineOption engine;

    @Mixin
    private ScaleOptions scale;

    @Mixin
    private LoadOptions load;

    @Mixin
    private TpcwCommand.ReportOptions report;

    @Option(names = "--rounds", description = "Rounds for each database. Default: ${DEFAULT-VALUE}", defaultValue = "1")
    private int rounds;

    @Option(
            names = "--pool",
            description = "Engine connections of each node. Default: ${DEFAULT-VALUE}",
            defaultValue = "16")
    private int pool;

    @Option(
            names = "--embedded",
            description = "Connect to the dispatcher within the process of this command, without a socket.")
    private boolean embedded;

    @Mixin
    private PropagationOption propagation;

    @Option(
            names = "--level",
            description =
                    "Optimization level of the satellites. C0: full copies on disk. C1: full copies in main memory. C2: copies in main memory with indexes for the heaviest queries, and the result cache. Default: C2, and C1 with --propagation log")
    private @Nullable Optimization level;

    @Option(
            names = "--cache",
            description =
                    "Size of the result cache of the middleware, such as 64m. 0: no cache. Default: 256m at C2, otherwise 0",
            converter = SizeConverter.class)
    private @Nullable ByteSize cache;

    @Option(
            names = "--plain-indexes",
            description = "Give the plain engine the indexes that satellites have at C2, too.")
    private boolean plainIndexes;

    @Option(
            names = "--state",
            description = "Folder for data on disk. The data is kept, so that the next start needs no load.")
    private @Nullable Path state;

    /** Reads a size. */
    private static final class SizeConverter implements ITypeConverter<ByteSize> {
        @Override
        public ByteSize convert(String text) {
            return ByteSize.parse(text);
        }
    }

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public QuickstartCommand() {}

    /**
     * Starts the plain engine and the cluster at the same time, so that both are measured under the same conditions in
     * alternating rounds. Both are stopped before the command returns, in reverse order.
     *
     * @return the exit code of the report: 0 only if no interaction failed
     */
    @Override
    public Integer call() throws Exception {
        refuseWhatStandbysLack();
        Progress progress = new Progress(spec.commandLine().getOut());
        if (QuickstartModel.sharesCores()) {
            progress.say(
                    "This machine has %d cores for 3 nodes, so that the nodes share cores. The comparison shows the cost of Multimed, not its gain."
                            .formatted(Runtime.getRuntime().availableProcessors()));
        }
        StateFolder folder = StateFolder.lasting(
                DefaultStateFolder.of(state, "quickstart-" + engine.name() + (isLog() ? "-log" : "")));
        int clients = load.options(scale).clients();
        progress.say("Starting a plain engine (%s) with all cores".formatted(engine.name()));
        report.writeTo(folder.path().resolve("report.html"));
        try (StateLock lock = StateLock.take(folder);
                RunningEngine plain = Launchers.start(QuickstartModel.plain(engine.name(), clients), "tpcw", folder);
                Cluster cluster = Cluster.start(
                        isLog()
                                ? QuickstartModel.withStandbys(engine.name(), pool, level())
                                : QuickstartModel.of(engine.name(), pool, level(), cache()),
                        folder,
                        step -> progress.show("multimed", 0, step));
                EmbeddedUrl within = new EmbeddedUrl(cluster.middleware())) {
            LOG.debug("holding {}", lock);
            cluster.awaitSatellites();
            Target standalone = new Target(plain.title(), plain.jdbcUrl(), plain.user(), plain.password());
            Target multimed = new Target(
                    "Multimed",
                    embedded ? within.jdbcUrl() : cluster.middleware().jdbcUrl(),
                    "",
                    "");
            progress.say("Multimed is ready: " + multimed.url());
            fill(standalone, progress);
            setIndexes(standalone);
            fill(multimed, progress);
            cluster.awaitSatellites();
            return measure(List.of(standalone, multimed), cluster, progress);
        }
    }

    private boolean isLog() {
        return propagation.with(engine.name()) == Propagation.LOG;
    }

    private Optimization level() {
        if (level != null) {
            return level;
        }
        return isLog() ? Optimization.C1 : Optimization.C2;
    }

    private void refuseWhatStandbysLack() {
        if (isLog() && (level() == Optimization.C2 || cache().bytes() > 0)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--propagation log: standbys have no indexes of their own, and there is no result cache: use --level C0 or C1, without --cache");
        }
    }

    private ByteSize cache() {
        if (cache != null) {
            return cache;
        }
        return level() == Optimization.C2 ? CACHE_AT_C2 : ByteSize.megabytes(0);
    }

    /** Gives the plain engine, whose data is kept, the indexes that were asked for; removes those of an earlier run. */
    private void setIndexes(Target plain) throws SQLException {
        try (Connection connection = plain.connect()) {
            new Schema(connection).setCoveringIndexes(plainIndexes);
        }
    }

    /**
     * Loads a database, unless the database contains this scale and seed already. The load of Multimed runs through
     * the middleware, as an application's would.
     */
    private void fill(Target target, Progress progress) throws SQLException {
        try (Connection connection = target.connect()) {
            Loader loader = new Loader(
                    connection,
                    scale.scale(),
                    scale.seed(),
                    (what, fraction) -> progress.show("loading " + target.name(), fraction, what));
            if (loader.isLoaded()) {
                progress.say(target.name() + " already contains the data");
            } else {
                loader.load();
            }
        }
    }

    /**
     * Compares the databases, and prints the share of each node and the freshness waits. Waits of the load are
     * discarded first.
     */
    private int measure(List<Target> targets, Cluster cluster, Progress progress)
            throws InterruptedException, IOException {
        RunProgress live =
                (target, round, fraction, wips, millis, errors) -> TpcwCommand.progress(progress, lag(target, cluster))
                        .running(target, round, fraction, wips, millis, errors);
        cluster.middleware().takeFreshnessWaits();
        Comparison comparison = TpcwRun.compare(targets, load.options(scale), rounds, live);
        int exit = report.print(comparison, spec.commandLine().getOut());
        progress.say("");
        for (NodeStatus node : cluster.middleware().status().nodes()) {
            progress.say(String.format(
                    Locale.ROOT,
                    "%-14s cores %-6s reads %9d   updates %8d",
                    node.name(),
                    cluster.engine(node.name()).node().cores(),
                    node.reads(),
                    node.updates()));
        }
        Histogram waits = cluster.middleware().takeFreshnessWaits();
        progress.say(String.format(
                Locale.ROOT,
                "freshness wait of a read: p50 %.2f ms, p99 %.2f ms, max %.2f ms",
                waits.getValueAtPercentile(50) / 1e6,
                waits.getValueAtPercentile(99) / 1e6,
                waits.getMaxValue() / 1e6));
        if (cache().bytes() > 0) {
            showCache(targets.get(targets.size() - 1), progress);
        }
        return exit;
    }

    private static void showCache(Target multimed, Progress progress) {
        try (Connection connection = multimed.connect();
                Statement statement = connection.createStatement()) {
            showCache(statement, progress);
            showStatements(statement, progress);
        } catch (SQLException e) {
            LOG.debug("the state of the cache cannot be shown", e);
        }
    }

    private static void showCache(Statement statement, Progress progress) throws SQLException {
        try (ResultSet row = statement.executeQuery("SHOW MULTIMED CACHE")) {
            row.next();
            progress.say(String.format(
                    Locale.ROOT,
                    "result cache: %d hits, %d misses, %d outdated, %d waits for an equal read, %d entries of %d kB",
                    row.getLong("hits"),
                    row.getLong("misses"),
                    row.getLong("outdated"),
                    row.getLong("awaited"),
                    row.getLong("entries"),
                    row.getLong("bytes") >> 10));
        }
    }

    private static void showStatements(Statement statement, Progress progress) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SHOW MULTIMED CACHE STATEMENTS")) {
            progress.say("      hits    misses  outdated   mean us  saved ms  statement");
            while (rows.next()) {
                String sql = rows.getString("statement").replaceAll("\\s+", " ");
                progress.say(String.format(
                        Locale.ROOT,
                        "%10d%10d%10d%10d%10d  %s",
                        rows.getLong("hits"),
                        rows.getLong("misses"),
                        rows.getLong("outdated"),
                        rows.getLong("mean_us"),
                        rows.getLong("saved_ms"),
                        sql.substring(0, Math.min(SHOWN, sql.length()))));
            }
        }
    }

    /** Returns the lag of each satellite in SCNs, for the progress line; empty while the plain engine is measured. */
    private static String lag(Target target, Cluster cluster) {
        if (!target.url().startsWith("jdbc:multimed:")) {
            return "";
        }
        return "  lag "
                + cluster.middleware().status().nodes().stream()
                        .filter(node -> node.role().equals("satellite"))
                        .map(node -> node.lagScns() + "")
                        .collect(Collectors.joining("/"));
    }
}
