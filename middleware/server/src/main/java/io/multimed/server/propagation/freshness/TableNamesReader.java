// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.sql.TableNames;
import io.multimed.server.node.CriticalThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the names of tables from the master's catalog after each change of the schema, as soon as a read asks for them.
 * One thread; no client waits for it.
 */
public final class TableNamesReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TableNamesReader.class);

    /** Pause after each reading, so that a series of schema changes causes few of them. */
    private static final long PAUSE_MILLIS = 100;

    /** The pause in multiples of the time that the catalog took: a large one takes long. */
    private static final int PAUSE_TIMES = 10;

    /** The longest pause: until the names are known, reads before a transaction's first write run on the master. */
    private static final long MAX_PAUSE_MILLIS = 2_000;

    private static final long RETRY_MILLIS = 1_000;

    private final TableScns scns;
    private final CatalogReader catalog;
    private final Opener opener;
    private final Visibility visibility;
    private final LongSupplier nanoTime;
    private final Thread thread;

    /** Opens a connection to the master, which the reader closes. */
    @FunctionalInterface
    public interface Opener {
        Connection open() throws SQLException;
    }

    /** Waits until everything is published that was visible on the master before. */
    @FunctionalInterface
    public interface Visibility {
        /** @throws SQLException if a crash of the master has undone some of it */
        void await() throws SQLException, InterruptedException;
    }

    public TableNamesReader(
            TableScns scns,
            CatalogReader catalog,
            Opener opener,
            Visibility visibility,
            CriticalThreads criticalThreads) {
        this(scns, catalog, opener, visibility, criticalThreads, System::nanoTime);
    }

    /** @param nanoTime the clock, for a test */
    TableNamesReader(
            TableScns scns,
            CatalogReader catalog,
            Opener opener,
            Visibility visibility,
            CriticalThreads criticalThreads,
            LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.scns = scns;
        this.catalog = catalog;
        this.opener = opener;
        this.visibility = visibility;
        this.thread = criticalThreads.thread("table-names", this::run);
    }

    public void start() {
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                long schema = scns.awaitQuestion();
                TimeUnit.MILLISECONDS.sleep(read(schema));
            }
        } catch (InterruptedException e) {
            LOG.debug("the names of tables are not read any more", e);
        }
    }

    /**
     * Reads the names, and installs them when they may be used. The wait for this is no load for the master, and does
     * not extend the pause.
     *
     * @return the milliseconds to wait before the next reading
     */
    long read(long schema) throws InterruptedException {
        long begun = nanoTime.getAsLong();
        try {
            TableNames names = read();
            long taken = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - begun);
            visibility.await();
            scns.install(names, schema);
            return Math.min(MAX_PAUSE_MILLIS, Math.max(PAUSE_MILLIS, PAUSE_TIMES * taken));
        } catch (SQLException | RuntimeException | OutOfMemoryError e) {
            LOG.debug("the names of tables cannot be read: reads need the published SCN", e);
            return RETRY_MILLIS;
        }
    }

    private TableNames read() throws SQLException {
        try (Connection connection = opener.open()) {
            TableNames names = catalog.tableNames(connection);
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return names;
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
