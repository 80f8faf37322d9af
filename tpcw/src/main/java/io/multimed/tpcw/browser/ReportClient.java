// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.browser;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;

/**
 * A client beside the browsers that runs a report over the whole table of order lines, again and again until the run
 * ends. TPC-W has no such client: it shows how much a heavy query hurts the pages. Multimed runs the report in the
 * routing class {@code reports}; for an engine, the hint is a comment.
 */
public final class ReportClient implements Runnable {
    private static final String REPORT = """
            /*+ multimed: class=reports cache=off */
            SELECT ol_i_id, SUM(ol_qty * (1 - ol_discount)) AS sold, COUNT(*) AS orders
            FROM order_line, orders WHERE ol_o_id = o_id GROUP BY ol_i_id ORDER BY sold DESC, ol_i_id LIMIT 10""";

    private final EmulatedBrowser.Connector connector;
    private final ReportListener listener;
    private final CountDownLatch stop;

    /** Receives the reports of all clients. Thread-safe. */
    public interface ReportListener {
        void reported();

        void failed(SQLException cause);
    }

    /** @param stop reaches zero when the client has to stop */
    public ReportClient(EmulatedBrowser.Connector connector, ReportListener listener, CountDownLatch stop) {
        this.connector = connector;
        this.listener = listener;
        this.stop = stop;
    }

    @Override
    public void run() {
        ConnectedClient.run(connector, stop, this::read, listener::failed);
    }

    private void read(Connection connection) throws SQLException {
        try (PreparedStatement report = connection.prepareStatement(REPORT)) {
            while (stop.getCount() > 0) {
                try (ResultSet rows = report.executeQuery()) {
                    while (rows.next()) {
                        rows.getInt(1);
                    }
                }
                listener.reported();
            }
        }
    }
}
