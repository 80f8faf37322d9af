// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import io.multimed.model.Source;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.replication.Drift;
import io.multimed.server.propagation.replication.DriftCheck;
import io.multimed.server.propagation.replication.HeldTable;
import io.multimed.server.propagation.replication.Satellite;
import io.multimed.server.propagation.replication.Satellites;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Compares satellites with the master, and copies those again that differ. Thread-safe. */
final class SatelliteCheck {
    private static final long POLL_MILLIS = 20;

    private final Master master;
    private final Satellites satellites;
    private final PresentModel present;
    private final StandbyMaker standbyMaker;

    /** Makes a standby again from the files of the master. */
    interface StandbyMaker {
        void remake(String standby) throws SQLException, InterruptedException;
    }

    SatelliteCheck(Master master, Satellites satellites, PresentModel present, StandbyMaker standbyMaker) {
        this.master = master;
        this.satellites = satellites;
        this.present = present;
        this.standbyMaker = standbyMaker;
    }

    /**
     * Compares satellites.
     *
     * @param repair whether satellites that differ are copied again, and compared again
     */
    List<Drift> verify(List<Satellite> asked, boolean repair) throws SQLException, InterruptedException {
        if (repair
                && master.node().engine().hasStandbys()
                && present.model().master().program().source() == Source.EXTERNAL) {
            throw new SQLException(
                    "REPAIR needs standbys that Multimed has started: leave REPAIR out, and make a standby that differs again from its primary",
                    "0A000");
        }
        List<Drift> found = new ArrayList<>();
        for (Satellite each : asked) {
            found.addAll(new DriftCheck(master, each).compare());
        }
        if (repair) {
            for (Satellite each : asked) {
                String name = each.node().name();
                if (found.stream()
                        .anyMatch(drift -> mustBeMadeAgain(each, drift)
                                && drift.satellite().equals(name))) {
                    found.addAll(repair(each));
                }
            }
        }
        return found;
    }

    /** A standby that was not compared is not made again, which would cost its data and the transactions of clients. */
    private static boolean mustBeMadeAgain(Satellite satellite, Drift drift) {
        if (!satellite.node().engine().hasStandbys()) {
            return drift.isBad();
        }
        return switch (drift.outcome()) {
            case DIFFERS, MISSING, EXTRA, CHANGED, OTHER_DEFINITION, DAMAGED -> true;
            default -> false;
        };
    }

    /** Returns which satellites hold each table of the master. */
    List<HeldTable> tables() throws SQLException {
        return HeldTable.read(master, satellites.all());
    }

    /**
     * Copies a satellite again and compares it again. One satellite at a time, so that the other satellites serve
     * reads.
     */
    private List<Drift> repair(Satellite satellite) throws SQLException, InterruptedException {
        String name = satellite.node().name();
        if (satellite.node().engine().hasStandbys()) {
            standbyMaker.remake(name);
            return compareAgain(satellite);
        }
        present.occupy(name);
        try {
            satellite.requestReseed();
            while (satellite.isReseedRequested() || !isUp(satellite)) {
                if (!satellites.all().contains(satellite)) {
                    throw new SQLException(name + " was removed in the meantime", "55000");
                }
                Thread.sleep(POLL_MILLIS);
            }
            return compareAgain(satellite);
        } finally {
            present.release(name);
        }
    }

    private List<Drift> compareAgain(Satellite satellite) throws SQLException, InterruptedException {
        return new DriftCheck(master, satellite)
                .compare().stream().map(drift -> drift.inRun(2)).toList();
    }

    /** Returns whether a satellite serves, or could serve if it was not drained. */
    static boolean isUp(Satellite satellite) {
        return switch (satellite.node().state()) {
            case ONLINE, DRAINING, DRAINED -> true;
            case OFFLINE, DROPPED, SEEDING, RECOVERING -> false;
        };
    }
}
