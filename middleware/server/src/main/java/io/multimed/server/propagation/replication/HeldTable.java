// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.writeset.Relation;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.liveness.Heartbeat;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A table of the master, and the satellites that hold it or will hold it when they are online.
 *
 * @param table schema and name, with a dot between them
 * @param satellites names; empty if only the master can answer reads of the table
 */
public record HeldTable(String table, List<String> satellites) {
    public HeldTable {
        satellites = List.copyOf(satellites);
    }

    /**
     * Reads the tables of the master, in the order of their names. No satellite holds a table that cannot be
     * replicated.
     *
     * @throws SQLException if the master cannot be read
     */
    public static List<HeldTable> read(Master master, List<Satellite> satellites) throws SQLException {
        try (CopySnapshot original = master.openSnapshot();
                Heartbeat heartbeat = Heartbeat.start(master.node().name(), master::connect, original::abort)) {
            original.begin();
            Set<String> replicated = new HashSet<>(original.pendingTables());
            original.relations().stream().map(Relation::name).forEach(replicated::add);
            List<HeldTable> tables = new ArrayList<>();
            for (String table : new TreeSet<>(original.tableNames())) {
                tables.add(new HeldTable(table, replicated.contains(table) ? holders(table, satellites) : List.of()));
            }
            if (heartbeat.isSilent()) {
                throw new SQLException("the master does not respond; try again later", "57P03");
            }
            return tables;
        }
    }

    private static List<String> holders(String table, List<Satellite> satellites) {
        int dot = table.indexOf('.');
        return satellites.stream()
                .filter(each -> each.tables().includes(table.substring(0, dot), table.substring(dot + 1)))
                .map(each -> each.node().name())
                .toList();
    }
}
