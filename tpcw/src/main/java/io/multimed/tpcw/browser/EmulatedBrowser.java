// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.browser;

import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.interaction.Interactions;
import io.multimed.tpcw.interaction.ReadOptions;
import io.multimed.tpcw.interaction.Statements;
import io.multimed.tpcw.interaction.UserSession;
import io.multimed.tpcw.population.RandomValues;
import io.multimed.tpcw.schema.Scale;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A browser of TPC-W with a connection and a thread of its own, which visits page after page until the run ends. A user
 * session ends at the first home page after its duration; then a new user session begins (TPC-W clause 5.2).
 *
 * <p>A lost connection is opened again. An interaction that fails for another reason than a conflict is reported as an
 * error and is not repeated, so that errors of the measured database remain visible in the report.
 */
public final class EmulatedBrowser implements Runnable {
    // Attempts of an interaction after conflicts, and the growth of the maximum pause between attempts.
    private static final int RETRIES = 10;
    private static final long LONGER_EACH_RETRY_MILLIS = 4;
    // User sessions last 15 minutes on average, and one hour at most (clause 5.2).
    private static final long MAX_SESSION_MILLIS = 60 * 60_000L;

    /** Gives a client its connections. */
    @FunctionalInterface
    public interface Connector {
        /** Called at the beginning of the client's work, and again after the loss of the connection. */
        Connection connect() throws SQLException;

        /** Takes the connection back at the end of the client's work, and closes the connection by default. */
        default void release(Connection connection) throws SQLException {
            connection.close();
        }
    }

    private final Connector connector;
    private final Mix mix;
    private final Pages pages;
    private final ThinkTime think;
    private final RandomValues dice;
    private final UserSession shopper;
    private final BrowserListener listener;
    private final CountDownLatch stop;
    private final ReadOptions reads;

    /**
     * @param reads what the browser tells the database about its reads
     * @param stop reaches zero when the browser has to stop
     */
    public EmulatedBrowser(
            Connector connector,
            Scale scale,
            Mix mix,
            Pages pages,
            ThinkTime think,
            long seed,
            ReadOptions reads,
            BrowserListener listener,
            CountDownLatch stop) {
        this.connector = connector;
        this.mix = mix;
        this.pages = pages;
        this.think = think;
        this.dice = new RandomValues(seed);
        this.shopper = new UserSession(dice, scale);
        this.reads = reads;
        this.listener = listener;
        this.stop = stop;
    }

    /**
     * Visits pages until the latch {@code stop} reaches zero or the thread is interrupted. Reports every failure to the
     * listener and throws none.
     */
    @Override
    public void run() {
        ConnectedClient.run(connector, stop, this::visit, cause -> listener.failed(InteractionType.HOME, cause));
    }

    private void visit(Connection connection) throws SQLException, InterruptedException {
        try (Statements shop = new Statements(connection, reads)) {
            click(connection, shop);
        }
    }

    /**
     * Visits pages on one connection. Returns when the run ends or the connection is closed; the statements are valid
     * until then.
     */
    private void click(Connection connection, Statements shop) throws InterruptedException, SQLException {
        InteractionType page = pages.first();
        long sessionEnd = sessionEnd();
        shopper.beginSession();
        while (stop.getCount() > 0 && !connection.isClosed()) {
            if (page == InteractionType.HOME && System.currentTimeMillis() > sessionEnd) {
                shopper.beginSession();
                sessionEnd = sessionEnd();
            }
            open(page, shop);
            InteractionType next = pages.after(page, mix, dice);
            shopper.refreshNext(page == InteractionType.SHOP && next == InteractionType.SHOP);
            page = next;
            pause(think.millis(dice));
        }
    }

    /**
     * Runs an interaction. After a conflict, which engines report as SQLState 40..., runs it again after a random pause
     * that grows, so that the same transactions do not conflict again immediately.
     */
    private void open(InteractionType page, Statements shop) throws InterruptedException {
        long begin = System.nanoTime();
        for (int attempt = 0; ; attempt++) {
            try {
                Interactions.of(page).perform(shop, shopper);
                listener.completed(page, System.nanoTime() - begin);
                return;
            } catch (SQLException e) {
                if (attempt >= RETRIES
                        || e.getSQLState() == null
                        || !e.getSQLState().startsWith("40")) {
                    listener.failed(page, e);
                    return;
                }
                listener.retried(page);
                pause(ThreadLocalRandom.current().nextLong(1 + attempt * LONGER_EACH_RETRY_MILLIS));
            }
        }
    }

    /**
     * Returns the time, in milliseconds since the epoch, at which the user session ends: its duration is exponentially
     * distributed.
     */
    private long sessionEnd() {
        double millis = -15 * 60_000 * Math.log(1 - dice.fraction());
        return System.currentTimeMillis() + Math.min(MAX_SESSION_MILLIS, (long) millis);
    }

    /** Waits, but returns immediately when the run ends. */
    private void pause(long millis) throws InterruptedException {
        if (millis > 0 && stop.await(millis, TimeUnit.MILLISECONDS)) {
            return;
        }
    }
}
