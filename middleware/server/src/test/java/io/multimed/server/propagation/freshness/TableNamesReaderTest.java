// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.Engines;
import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.TableNames;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TableNamesReaderTest {
    private static final Scn START = new Scn(10);

    private final TableScns scns = new TableScns(START, row -> List.of());
    private final CriticalThreads threads = new CriticalThreads();
    private final AtomicInteger readings = new AtomicInteger();
    private final CountDownLatch awaits = new CountDownLatch(1);
    private final CountDownLatch visible = new CountDownLatch(1);
    private final TableNamesReader reader = new TableNamesReader(
            scns,
            new Catalog(),
            TableNamesReaderTest::connection,
            () -> {
                awaits.countDown();
                visible.await();
            },
            threads);

    /** Advanced by the test only. */
    private final AtomicLong clock = new AtomicLong();

    private long readingMillis = 50;

    /** Fails the first time. */
    private final class Catalog implements CatalogReader {
        @Override
        public TableNames tableNames(Connection master) throws SQLException {
            if (readings.incrementAndGet() == 1) {
                throw new SQLException("for this test", "08006");
            }
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(readingMillis));
            return new TableNames.Builder().table(1, "s", "book").build();
        }

        @Override
        public List<@Nullable String> rowValues(String row) {
            return List.of();
        }

        @Override
        public SchemaFacts schemaFacts(Connection master) {
            return SchemaFacts.UNKNOWN;
        }

        @Override
        public void checkPrivileges(Connection connection, String query, Parameters parameters) {
            throw new UnsupportedOperationException("not a part of this test");
        }

        @Override
        public String baseSchema(ResultSetMetaData columns, int index) {
            return "";
        }

        @Override
        public String baseColumn(ResultSetMetaData columns, int index) {
            return "";
        }
    }

    /** Returns a connection in auto-commit mode. */
    private static Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                Engines.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> method.getReturnType() == boolean.class ? true : null);
    }

    @AfterEach
    void close() {
        reader.close();
        assertThat(threads.reason()).isEmpty();
    }

    /** Returns what a read of the table book needs when the published SCN is this one. */
    private long needed(long published) {
        return scns.needed(Set.of("book"), Set.of("book"), new Scn(published)).value();
    }

    @Test
    void shouldUseNamesOnlyWhenEverythingIsPublishedThatTheirReadingCouldSee() throws Exception {
        reader.start();
        await("the names are read again after a failure").until(() -> {
            needed(10);
            return awaits.getCount() == 0;
        });
        scns.publishing(List.of(new WriteSet(new Scn(11), List.of(), null, 0)), new Scn(11));
        assertThat(needed(11)).isEqualTo(11);
        visible.countDown();
        await("the names are used").until(() -> needed(20) == 11);
        assertThat(readings.get()).isEqualTo(2);
    }

    @Test
    void shouldPauseInProportionToTheReadingAndNotToTheWait() throws Exception {
        TableNamesReader other = new TableNamesReader(
                scns,
                new Catalog(),
                TableNamesReaderTest::connection,
                () -> clock.addAndGet(TimeUnit.SECONDS.toNanos(10)),
                threads,
                clock::get);
        assertThat(other.read(0)).as("after a failure").isEqualTo(1_000);
        assertThat(other.read(0)).isEqualTo(500);
        readingMillis = 10_000;
        assertThat(other.read(0))
                .as("reads of transactions depend on the names")
                .isEqualTo(2_000);
    }
}
