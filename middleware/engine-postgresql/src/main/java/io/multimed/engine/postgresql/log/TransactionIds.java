// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The transaction identifiers of recent commits, where nothing may be written on the master ({@code receipts: off}).
 * They tell which commits a crash of the master has undone. A commit during which the connection breaks has none: its
 * outcome is unknown.
 *
 * <p>The lock protects the map. The map has a bound that is higher than the number of clients, each of which waits for
 * one commit.
 */
public final class TransactionIds extends CommitRecord {
    private static final int MAX_COMMITS = 65_536;

    private static final String PREPARE =
            "SET CONSTRAINTS ALL IMMEDIATE; SELECT pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL"
                    + " OR pg_catalog.current_setting('multimed.ddl', true) OPERATOR(pg_catalog.=) 'x'";

    private final Object lock = new Object();

    private final Map<Receipt, String> recent = new LinkedHashMap<>();

    @Override
    String state(String held) {
        return "SELECT pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL AND"
                + " pg_catalog.current_setting('transaction_read_only') OPERATOR(pg_catalog.=) 'off' AS changed,"
                + " pg_catalog.current_setting('multimed.ddl', true) OPERATOR(pg_catalog.=) 'x' AS ddl,"
                + " pg_catalog.pg_current_xact_id_if_assigned()::pg_catalog.varchar(20) AS xid, " + held;
    }

    @Override
    int parameters() {
        return 0;
    }

    @Override
    void bindState(PreparedStatement statement, int first, List<Receipt> receipts) {}

    @Override
    void committed(ResultSet row, List<Receipt> receipts) throws SQLException {
        String xid = row.getString("xid");
        if (xid == null) {
            return;
        }
        synchronized (lock) {
            receipts.forEach(receipt -> recent.put(receipt, xid));
            while (recent.size() > MAX_COMMITS) {
                recent.remove(recent.keySet().iterator().next());
            }
        }
    }

    /** Returns those of the recent commits that the engine has not undone. */
    Map<Receipt, WriteSet> committed(Connection master) throws SQLException {
        Map<Receipt, String> all;
        synchronized (lock) {
            all = new HashMap<>(recent);
        }
        Map<String, Boolean> committed = statuses(master, List.copyOf(all.values()));
        Map<Receipt, WriteSet> found = new HashMap<>();
        all.forEach((receipt, xid) -> {
            if (committed.getOrDefault(xid, false)) {
                found.put(receipt, WriteSet.inLog(true));
            }
        });
        return found;
    }

    private static Map<String, Boolean> statuses(Connection master, List<String> xids) throws SQLException {
        Map<String, Boolean> statuses = new HashMap<>();
        try (PreparedStatement query = master.prepareStatement(
                "SELECT DISTINCT x, pg_catalog.pg_xact_status(x::xid8) = 'committed' FROM unnest(?::text[]) x")) {
            query.setArray(1, master.createArrayOf("text", xids.toArray()));
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    statuses.put(rows.getString(1), rows.getBoolean(2));
                }
            }
        }
        Queries.end(master);
        return statuses;
    }

    @Override
    boolean prepare(Connection open) throws SQLException {
        try (PreparedStatement prepare = open.prepareStatement(PREPARE)) {
            prepare.execute();
            boolean unused = prepare.getMoreResults();
            try (ResultSet row = prepare.getResultSet()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    @Override
    boolean checksTables() {
        return false;
    }

    @Override
    String prefix(Connection open) {
        return "";
    }
}
