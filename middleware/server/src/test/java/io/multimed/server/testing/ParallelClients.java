// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs the work of several clients at the same time, one thread for each client. */
public final class ParallelClients {
    private static final int PATIENCE_SECONDS = 180;

    /** The work of one client. */
    @FunctionalInterface
    public interface Work {
        /** @param client from 0 */
        public void run(int client) throws Exception;
    }

    /** One execution of a client's prepared statement. */
    @FunctionalInterface
    public interface Execution {
        /**
         * @param client from 0
         * @param round from 0
         */
        public void run(PreparedStatement statement, int client, int round) throws Exception;
    }

    private ParallelClients() {}

    /**
     * Runs the work of all clients, and waits for its end. Ends at the first failure: the other clients may wait for
     * the one that has failed.
     *
     * @throws Exception the failure of a client
     */
    public static void run(int clients, Work work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            ExecutorCompletionService<Void> running = new ExecutorCompletionService<>(threads);
            for (int i = 0; i < clients; i++) {
                int client = i;
                Future<Void> unused = running.submit(() -> {
                    work.run(client);
                    return null;
                });
            }
            for (int i = 0; i < clients; i++) {
                Future<Void> ended = running.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                if (ended == null) {
                    throw new TimeoutException("no client has ended within " + PATIENCE_SECONDS + " s");
                }
                ended.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Prepares the statement on a connection of each client, and executes it a number of times. */
    public static void execute(TestCluster cluster, int clients, String sql, int rounds, Execution execution)
            throws Exception {
        run(clients, client -> {
            try (Connection connection = cluster.connect();
                    PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int round = 0; round < rounds; round++) {
                    execution.run(statement, client, round);
                }
            }
        });
    }
}
