// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.liveness.Heartbeat;
import io.multimed.server.propagation.replication.Drift.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares a satellite with the master during normal operation. The master's snapshot is taken between two commit
 * groups; commits wait only for that moment. The satellite's applier stops when it has applied exactly the SCN of that
 * snapshot, until the satellite's snapshot is taken as well. Both snapshots are then read without a time limit, and in
 * bounded memory. A standby does not stop: its snapshot is taken while commits wait, and both are taken again if a
 * transaction that does not come through Multimed has ended meanwhile.
 *
 * <p>Tables that differ are compared a second time, at a later SCN, and only differences of the second comparison are
 * reported. The reason is that an engine's snapshot does not cover the effects of DDL and TRUNCATE on a table that the
 * snapshot has not read yet. Runs on an administration thread.
 */
public final class DriftCheck {
    private static final Logger LOG = LoggerFactory.getLogger(DriftCheck.class);

    /** Maximum time for the satellite to reach the master's SCN. */
    private static final long PATIENCE_SECONDS = 60;

    private static final String OTHERS_COMMIT =
            "transactions that do not come through Multimed end all the time: try again while there are fewer";

    /** Maximum number of attempts to take two snapshots between which no transaction ends. */
    private static final int ATTEMPTS = 20;

    /** Pause after the first attempt, in which commits go on; grows with the attempts. */
    private static final long PAUSE_MILLIS = 10;

    /** Maximum time for a force of the master's log, while commits wait. */
    private static final int FORCE_MILLIS = 5_000;

    private final Master master;
    private final Satellite satellite;
    private final String name;

    public DriftCheck(Master master, Satellite satellite) {
        this.master = master;
        this.satellite = satellite;
        this.name = satellite.node().name();
    }

    /**
     * Compares every table that the satellite holds.
     *
     * @return one finding per table, and one for each row that differs, up to a limit
     * @throws SQLException if the master cannot be read
     */
    public List<Drift> compare() throws SQLException, InterruptedException {
        List<Drift> first = compare(null);
        Set<String> doubtful = new HashSet<>();
        first.stream().filter(Drift::isBad).map(Drift::table).forEach(doubtful::add);
        if (doubtful.isEmpty() || doubtful.contains("")) {
            return first;
        }
        List<Drift> second = compare(doubtful);
        List<Drift> all = new ArrayList<>(first);
        if (second.stream().noneMatch(DriftCheck::concernsAll)) {
            all.removeIf(
                    drift -> doubtful.contains(drift.table())); // otherwise what was found is the best that is known
        }
        all.addAll(second);
        return all;
    }

    /** @param only names of the tables to compare; null for all tables */
    private List<Drift> compare(@Nullable Set<String> only) throws SQLException, InterruptedException {
        List<Drift> found = tryToCompare(only);
        for (int attempt = 1; attempt < ATTEMPTS && othersHaveCommitted(found); attempt++) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS * attempt);
            found = tryToCompare(only);
        }
        return found;
    }

    /** Returns whether a finding says that the comparison has ended early. */
    private static boolean concernsAll(Drift drift) {
        return drift.table().isEmpty();
    }

    private static boolean othersHaveCommitted(List<Drift> found) {
        return found.size() == 1 && OTHERS_COMMIT.equals(found.get(0).detail());
    }

    private List<Drift> tryToCompare(@Nullable Set<String> only) throws SQLException, InterruptedException {
        CopySnapshot copy;
        try {
            copy = satellite.node().engine().openSnapshot(satellite.access());
        } catch (SQLException e) {
            return List.of(notCompared(satellite.applied(), String.valueOf(e.getMessage())));
        }
        try (copy;
                Heartbeat heartbeat = Heartbeat.start(
                        name, () -> satellite.node().engine().connectOwn(satellite.access()), copy::abort);
                CopySnapshot original = master.openSnapshot();
                Heartbeat ofTheMaster = Heartbeat.start(master.node().name(), master::connect, original::abort)) {
            CompletableFuture<String> ready = new CompletableFuture<>();
            Scn scn = satellite.node().engine().hasStandbys()
                    ? takeSnapshotsBesideAStandby(original, copy, ready)
                    : takeSnapshots(original, copy, ready);
            String trouble = await(ready);
            List<Drift> found = trouble.isEmpty()
                    ? compareUnlessLost(only, scn, original, copy)
                    : List.of(notCompared(scn, trouble));
            if (ofTheMaster.isSilent()) {
                return List.of(notCompared(scn, "the master does not respond"));
            }
            return heartbeat.isSilent() ? List.of(notCompared(scn, "the satellite does not respond")) : found;
        }
    }

    /** @param ready receives an empty text when both snapshots are taken, otherwise the reason of the failure */
    private Scn takeSnapshots(CopySnapshot original, CopySnapshot copy, CompletableFuture<String> ready)
            throws SQLException, InterruptedException {
        Scn scn = master.order().pause();
        try {
            original.begin();
            Scn bypassing = original.lastBypassing();
            scn = bypassing.isAfter(scn) ? bypassing : scn;
            if (!satellite.stopAt(scn, () -> begin(copy, ready))) {
                ready.complete("the satellite is " + satellite.node().state());
            }
        } finally {
            master.order().resume();
        }
        return scn;
    }

    /**
     * Takes both snapshots while no commit comes through Multimed. If another transaction has ended meanwhile, a later
     * snapshot of the master differs from the first one, or the standby shows a transaction that the master does not
     * show yet. Before its snapshot, the log is forced once more, because some versions of the engine do so by a
     * transaction: afterwards they find nothing to force, unless another transaction has ended.
     */
    private Scn takeSnapshotsBesideAStandby(CopySnapshot original, CopySnapshot copy, CompletableFuture<String> ready)
            throws SQLException, InterruptedException {
        try (Connection log = master.connect();
                CopySnapshot later = master.openSnapshot()) {
            log.setAutoCommit(true);
            log.setNetworkTimeout(Runnable::run, FORCE_MILLIS);
            master.order().pause();
            try {
                master.store().logForcing().forceLog(log);
                original.begin();
                Scn position = master.store().logForcing().forceLog(log);
                boolean showsMore;
                try {
                    copy.beginAfter(position);
                    showsMore = !copy.showsNoMoreThan(original.shown());
                } catch (SQLException e) {
                    ready.complete(String.valueOf(e.getMessage()));
                    return position;
                }
                later.begin();
                boolean isSame = !showsMore && original.shown().equals(later.shown());
                ready.complete(isSame ? "" : OTHERS_COMMIT);
                return position;
            } finally {
                master.order().resume();
            }
        }
    }

    /** Runs on the applier's thread. */
    private static void begin(CopySnapshot copy, CompletableFuture<String> ready) {
        if (ready.isDone()) {
            return; // the check was abandoned, and the connection is closed
        }
        try {
            copy.begin();
            ready.complete("");
        } catch (SQLException e) {
            ready.complete(String.valueOf(e.getMessage()));
        }
    }

    private String await(CompletableFuture<String> ready) throws InterruptedException {
        try {
            return ready.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            ready.complete("too late");
            return "it did not reach the master's SCN within %d s; its state is %s"
                    .formatted(PATIENCE_SECONDS, satellite.node().state());
        }
    }

    /** Compares until the snapshot of the satellite is lost, as by a conflict with the log. */
    private List<Drift> compareUnlessLost(@Nullable Set<String> only, Scn scn, CopySnapshot original, CopySnapshot copy)
            throws SQLException, InterruptedException {
        List<Drift> found = new ArrayList<>();
        try {
            compare(only, scn, original, copy, found);
        } catch (SQLException e) {
            if (!copy.isLost() || original.isLost()) {
                throw e;
            }
            found.add(notCompared(scn, "the satellite has ended the comparison: " + e.getMessage()));
        }
        return found;
    }

    private void compare(
            @Nullable Set<String> only, Scn scn, CopySnapshot original, CopySnapshot copy, List<Drift> found)
            throws SQLException, InterruptedException {
        List<Relation> tables = original.relations();
        for (Relation table : tables) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            boolean asked = only == null || only.contains(table.name());
            if (asked && satellite.tables().includes(table.schema(), table.table())) {
                long begin = System.nanoTime();
                found.addAll(TableComparison.compare(
                        table,
                        name,
                        scn,
                        original,
                        copy,
                        satellite.node().engine().dialect().errors()));
                LOG.debug(
                        "{}: compared {} at {} in {} ms",
                        name,
                        table.name(),
                        scn,
                        (System.nanoTime() - begin) / 1_000_000);
            }
        }
        found.addAll(absent(scn, original, tables));
        Set<String> tooMany = new TreeSet<>(copy.tableNames());
        tooMany.removeAll(original.tableNames());
        tooMany.forEach(
                table -> found.add(new Drift(1, name, scn, table, Outcome.EXTRA, "the master has no such table", 0)));
        found.removeIf(drift -> only != null && !only.contains(drift.table()));
    }

    /** Returns tables of the master that belong to the satellite, and that the satellite lacks intentionally. */
    private List<Drift> absent(Scn scn, CopySnapshot original, List<Relation> tables) throws SQLException {
        Set<String> absent = new TreeSet<>(original.tableNames());
        tables.forEach(table -> absent.remove(table.name()));
        Set<String> away = original.pendingTables();
        List<Drift> found = new ArrayList<>();
        for (String table : absent) {
            int dot = table.indexOf('.');
            if (satellite.tables().includes(table.substring(0, dot), table.substring(dot + 1))) {
                found.add(
                        away.contains(table)
                                ? new Drift(
                                        1, name, scn, table, Outcome.ABSENT, "a schema change has not been sent yet", 0)
                                : new Drift(1, name, scn, table, Outcome.MASTER_ONLY, "it is not replicated", 0));
            }
        }
        return found;
    }

    private Drift notCompared(Scn scn, String why) {
        return new Drift(1, name, scn, "", Outcome.NOT_COMPARED, why, 0);
    }
}
