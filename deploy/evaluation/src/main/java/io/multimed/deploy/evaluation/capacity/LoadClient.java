// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.database.MeasuredDatabase;
import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.interaction.Interactions;
import io.multimed.tpcw.interaction.ReadOptions;
import io.multimed.tpcw.interaction.Statements;
import io.multimed.tpcw.interaction.UserSession;
import io.multimed.tpcw.population.RandomValues;
import io.multimed.tpcw.run.Target;
import io.multimed.tpcw.schema.Scale;
import java.sql.Connection;
import java.sql.SQLException;

/** A client without think time that visits the pages of some work while a gate is open. */
final class LoadClient implements Runnable {
    private static final int ATTEMPTS = 10;
    private static final long PAUSE_MILLIS = 100;

    private final Target target;
    private final Scale scale;
    private final Work work;
    private final RandomValues dice;
    private final Counts counts;
    private final Gate gate;

    /** Receives the events of all clients, on their threads. */
    interface Counts {
        void completed(InteractionType page, long nanos);

        void failed(SQLException cause);
    }

    /**
     * @param number number of the client, which determines its random numbers
     * @param gate is passed before each interaction
     */
    LoadClient(Target target, Scale scale, Work work, int number, Counts counts, Gate gate) {
        this.target = target;
        this.scale = scale;
        this.work = work;
        this.dice = new RandomValues(MeasuredDatabase.SEED + 1_000_003L * (1 + number));
        this.counts = counts;
        this.gate = gate;
    }

    @Override
    public void run() {
        try {
            while (gate.pass()) {
                try (Connection connection = target.connectToMeasure();
                        Statements shop = new Statements(connection, ReadOptions.DEFAULT)) {
                    visit(connection, shop);
                } catch (SQLException e) {
                    if (!gate.isEnded()) {
                        counts.failed(e);
                        gate.pause(PAUSE_MILLIS);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void visit(Connection connection, Statements shop) throws SQLException, InterruptedException {
        UserSession session = new UserSession(dice, scale);
        InteractionType page = InteractionType.HOME;
        for (long step = 0; gate.pass() && !connection.isClosed(); step++) {
            InteractionType next = work.next(page, step, dice);
            session.refreshNext(page == InteractionType.SHOP && next == InteractionType.SHOP);
            page = next;
            open(page, shop, session);
        }
    }

    /** Runs an interaction, and again after a conflict, which engines report as SQLState 40.... */
    private void open(InteractionType page, Statements shop, UserSession session) {
        long begin = System.nanoTime();
        for (int attempt = 1; ; attempt++) {
            try {
                Interactions.of(page).perform(shop, session);
                counts.completed(page, System.nanoTime() - begin);
                return;
            } catch (SQLException e) {
                if (attempt == ATTEMPTS || !String.valueOf(e.getSQLState()).startsWith("40")) {
                    counts.failed(e);
                    return;
                }
            }
        }
    }
}
