// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.load;

import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client that increments a counter of its own in one of several ways, and counts the acknowledged increments, until
 * it is stopped.
 */
public final class CountingClient implements Runnable {
    /** SQLStates of a transaction that was undone or never began. */
    private static final Set<String> NOT_COMMITTED = Set.of("40001", "08001", "57P03");

    private final Target target;
    private final int id;
    private final Way way;
    private final Set<String> states = ConcurrentHashMap.newKeySet();
    private final Queue<String> troubles = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean stopped;

    private enum Way {
        PREPARED,
        PLAIN,
        TWICE_IN_A_BATCH,
        TWICE_IN_A_TRANSACTION
    }

    public CountingClient(Target target, int id) {
        this.target = target;
        this.id = id;
        this.way = Way.values()[id % Way.values().length];
    }

    @Override
    public void run() {
        try (Connection connection = target.connect()) {
            connection.setAutoCommit(way != Way.TWICE_IN_A_TRANSACTION);
            while (!stopped) {
                add(connection);
            }
        } catch (SQLException | RuntimeException e) {
            troubles.add(e.toString());
        }
    }

    private void add(Connection connection) throws SQLException {
        try {
            count.addAndGet(addOnce(connection));
        } catch (SQLException e) {
            states.add(String.valueOf(e.getSQLState()));
            if ("MM001".equals(e.getSQLState())) {
                count.addAndGet(way == Way.TWICE_IN_A_BATCH ? 2 : 1);
            } else if (!NOT_COMMITTED.contains(e.getSQLState())) {
                troubles.add("%s: %s %s".formatted(way, e.getSQLState(), e));
            }
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        }
    }

    private int addOnce(Connection connection) throws SQLException {
        String sql = "UPDATE counted SET n = n + 1 WHERE id = ";
        try (PreparedStatement update = connection.prepareStatement(sql + "?");
                Statement plain = connection.createStatement()) {
            update.setInt(1, id);
            switch (way) {
                case PREPARED -> {
                    return update.executeUpdate();
                }
                case PLAIN -> {
                    return plain.executeUpdate(sql + id);
                }
                case TWICE_IN_A_BATCH -> {
                    update.addBatch();
                    update.setInt(1, id);
                    update.addBatch();
                    return update.executeBatch().length;
                }
                default -> {
                    int added = update.executeUpdate() + plain.executeUpdate(sql + id);
                    connection.commit();
                    return added;
                }
            }
        }
    }

    public void stop() {
        stopped = true;
    }

    public int id() {
        return id;
    }

    /** Returns the number of acknowledged increments. */
    public int count() {
        return count.get();
    }

    /** Returns the SQLStates of all errors. */
    public Set<String> states() {
        return states;
    }

    /** Returns the errors whose report was wrong or undocumented. */
    public Queue<String> troubles() {
        return troubles;
    }
}
