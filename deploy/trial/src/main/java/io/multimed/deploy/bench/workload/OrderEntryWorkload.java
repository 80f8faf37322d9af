// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.workload;

import java.sql.Connection;
import java.sql.SQLException;

/** A transaction of TPC-C on the tables of {@link OrderEntry}. */
public final class OrderEntryWorkload implements Workload {
    private static final int WAREHOUSES = 4;

    private final OrderEntry tables;
    private final ClientOpener opener;

    /** Prepares the statements of one client. */
    @FunctionalInterface
    interface ClientOpener {
        /** @param number of the client, from 0 */
        Client open(Connection connection, OrderEntry tables, int number) throws SQLException;
    }

    private OrderEntryWorkload(int warehouses, int items, ClientOpener opener) {
        this.tables = new OrderEntry(warehouses, items);
        this.opener = opener;
    }

    /** @param items number of items, at least 1,000 */
    public static Workload newOrder(int items) {
        return newOrder(WAREHOUSES, items);
    }

    /**
     * @param warehouses number of warehouses: with fewer than clients, clients wait for each other's rows
     * @param items number of items, at least 1,000
     */
    public static Workload newOrder(int warehouses, int items) {
        return new OrderEntryWorkload(warehouses, items, NewOrder::new);
    }

    /** @param items number of items, at least 1,000 */
    public static Workload payment(int items) {
        return payment(WAREHOUSES, items);
    }

    /** As {@link #newOrder(int, int)}. */
    public static Workload payment(int warehouses, int items) {
        return new OrderEntryWorkload(warehouses, items, Payment::new);
    }

    @Override
    public void prepare(Connection connection) throws SQLException {
        tables.ensure(connection);
    }

    /**
     * Requests READ COMMITTED: the transactions lock the rows that they read and then change. With snapshots, an engine
     * would refuse a row that another client has changed since the first statement.
     */
    @Override
    public Client open(Connection connection, int number) throws SQLException {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return opener.open(connection, tables, number);
    }
}
