// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tests that a cancel at any moment of a commit leaves either no commit, or a commit whose WriteSet contains exactly
 * the changes of its transaction.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class InterruptionConformance extends ConformanceTest {
    private static final Logger LOG = LoggerFactory.getLogger(InterruptionConformance.class);

    private static final int CLIENTS = 3;
    private static final long DURATION_NANOS = TimeUnit.SECONDS.toNanos(Long.getLong("multimed.interruptions", 2));

    /** The first client's sequence; those of the others follow. */
    private static final AtomicInteger SEQUENCE = new AtomicInteger(10_000_000);

    private final List<AtomicReference<Connection>> open = new ArrayList<>();
    private Scn before;

    /** Ends the open transaction of a connection. */
    private interface Commit {
        void run(Connection open, List<Receipt> receipts) throws SQLException;
    }

    @BeforeAll
    void makeTable() throws SQLException {
        replication().run("CREATE TABLE interrupted (id INT PRIMARY KEY, n INT)");
        for (int client = 0; client < CLIENTS; client++) {
            replication().run("INSERT INTO interrupted VALUES (" + client + ", 0)");
            open.add(new AtomicReference<>());
        }
    }

    @BeforeEach
    void remember() throws SQLException {
        replication().run("UPDATE interrupted SET n = 0");
        before = replication().last();
    }

    @AfterEach
    void compare() throws SQLException {
        replication().resume();
        replication().compareAll();
        replication().assertSame();
    }

    @Test
    void shouldSealATransactionWhollyOrNotAtAll() throws Exception {
        hammer(
                1,
                (connection, receipts) ->
                        replication().extractor().sealAndCommit(connection, receipts.get(0), new SessionFate(true)));
    }

    @Test
    @Tag("exhaustive")
    void shouldCommitUnreadWhollyOrNotAtAll() throws Exception {
        if (replication().extractor().canCommitUnread()) {
            hammer(1, (connection, receipts) -> replication().extractor().commitUnread(connection, receipts.get(0)));
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldSealTogetherWhollyOrNotAtAll() throws Exception {
        if (replication().extractor().sharedCommit().isPresent()) {
            hammer(
                    3,
                    (connection, receipts) -> replication()
                            .extractor()
                            .sharedCommit()
                            .orElseThrow()
                            .sealAndCommit(connection, receipts, Set.of("interrupted"), new SessionFate(true)));
        }
    }

    /** Commits on several connections while another thread continuously cancels their statements. */
    private void hammer(int statements, Commit commit) throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<?>[] clients = new CompletableFuture<?>[CLIENTS];
        AtomicInteger commits = new AtomicInteger();
        for (int client = 0; client < CLIENTS; client++) {
            int id = client;
            clients[client] = CompletableFuture.runAsync(() -> work(id, statements, commit, commits));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(clients).whenComplete((nothing, e) -> done.set(true));
        int cancels = cancelUntil(done);
        all.join();
        Map<Receipt, WriteSet> found =
                replication().store().log().sealedAfter(replication().fencing(), before);
        LOG.info("{} cancels, {} of {} commits answered", cancels, commits, found.size() / statements);
        assertThat(cancels).isPositive();
        assertThat(found.size() / statements)
                .isGreaterThanOrEqualTo(commits.get())
                .isPositive();
        assertThat(found.values().stream()
                        .mapToInt(writeSet -> writeSet.changes().size())
                        .sum())
                .isEqualTo(found.size());
        found.forEach((receipt, writeSet) -> {
            boolean first = receipt.sequence() % statements == 0;
            assertThat(writeSet.changes()).hasSize(first ? statements : 0);
        });
        try (Connection connection = replication().connect()) {
            assertThat(Sql.text(connection, "SELECT SUM(n) FROM interrupted")).isEqualTo(String.valueOf(found.size()));
            connection.rollback();
        }
    }

    private int cancelUntil(AtomicBoolean done) {
        int cancels = 0;
        while (!done.get()) {
            for (AtomicReference<Connection> target : open) {
                Connection connection = target.get();
                try {
                    if (connection != null) {
                        replication().dialect().streaming().cancel(connection);
                        cancels++;
                    }
                } catch (SQLException e) {
                    LOG.debug("the connection was closed meanwhile", e);
                }
            }
        }
        return cancels;
    }

    private void work(int id, int statements, Commit commit, AtomicInteger commits) {
        long end = System.nanoTime() + DURATION_NANOS;
        try {
            while (System.nanoTime() < end) {
                Connection connection = replication().connect();
                open.get(id).set(connection);
                if (commitOften(connection, id, statements, commit, commits, end)) {
                    connection.close();
                }
            }
        } catch (SQLException e) {
            throw new CompletionException(e);
        } finally {
            open.get(id).set(null);
        }
    }

    /** Returns whether the connection is usable at the end; an error of a commit ends the connection. */
    private boolean commitOften(
            Connection connection, int id, int statements, Commit commit, AtomicInteger commits, long end)
            throws SQLException {
        while (System.nanoTime() < end) {
            if (!update(connection, id, statements)) {
                if (connection.isClosed()) { // a cancel request may hit the driver's own messages
                    open.get(id).set(null);
                    return false;
                }
                if (rollsBack(connection)) {
                    continue;
                }
                open.get(id).set(null);
                replication().evict(connection);
                return false;
            }
            try {
                commit.run(connection, receipts(statements));
                commits.incrementAndGet();
            } catch (SQLException | IllegalStateException e) {
                open.get(id).set(null);
                replication().evict(connection);
                return false;
            }
        }
        open.get(id).set(null);
        return true;
    }

    /** Returns whether the transaction has ended: a cancel request may hit the ROLLBACK, too. */
    private static boolean rollsBack(Connection connection) {
        try {
            connection.rollback();
            return true;
        } catch (SQLException e) {
            LOG.debug("the ROLLBACK was canceled", e);
            return false;
        }
    }

    /** Returns whether all updates took effect. An engine may report a canceled update as one that found no row. */
    private static boolean update(Connection connection, int id, int times) {
        try (Statement statement = connection.createStatement()) {
            int done = 0;
            for (int i = 0; i < times; i++) {
                done += statement.executeUpdate("UPDATE interrupted SET n = n + 1 WHERE id = " + id);
            }
            return done == times;
        } catch (SQLException e) {
            return false;
        }
    }

    /** Returns as many new receipts; the sequence of the first is a multiple of their number. */
    private static List<Receipt> receipts(int number) {
        int first = SEQUENCE.getAndAdd(2 * number);
        first += number - first % number;
        List<Receipt> receipts = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            receipts.add(new Receipt(70, first + i));
        }
        return receipts;
    }
}
