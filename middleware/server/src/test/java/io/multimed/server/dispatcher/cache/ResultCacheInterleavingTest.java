// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import static io.multimed.server.testing.Interleavings.require;

import io.multimed.engine.sql.ReadFootprint;
import io.multimed.engine.sql.TableNames;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.response.Rows;
import io.multimed.server.dispatcher.statement.StatementRunner.Encoded;
import io.multimed.server.propagation.freshness.InstalledNames;
import io.multimed.server.propagation.freshness.ReadScope;
import io.multimed.server.propagation.freshness.TableScns;
import io.multimed.server.testing.Interleavings;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * However readers and the publisher take turns, a read returns what was published when the read began, or something
 * later.
 */
@Tag("interleaving")
class ResultCacheInterleavingTest {
    private static final TableNames NAMES = new TableNames.Builder()
            .table(1, "s", "book")
            .columns(1, List.of(new TableNames.Column("v", TableNames.Exactness.INTEGER)))
            .build();

    private static final ReadFootprint FOOTPRINT = new ReadFootprint(
            Set.of("select", "v", "from", "book"),
            Set.of("v"),
            Set.of(),
            true,
            List.of(new ReadFootprint.Reference("book", Set.of(), List.of())),
            List.of());

    private static final CacheableRead.Key KEY = new CacheableRead.Key("SELECT v FROM book", List.of(), "UTC", 0);

    /** A database with one row, whose value is the number of the last transaction, and one satellite. */
    private static final class Database {
        private final TableScns scns;
        private final ResultCache cache;
        private final ReadScope scope;
        private final StatementStatistics statement = new StatementStatistics("SELECT v FROM book");

        private volatile long published;

        private volatile long applied;

        Database() {
            try {
                scns = InstalledNames.of(NAMES);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            ReadScope found = scns.scope(null, FOOTPRINT, Set.of("book"));
            if (found == null || !found.isKnown()) {
                throw new AssertionError("the read depends on unknown tables");
            }
            scope = found;
            cache = new ResultCache(1 << 20, scns, () -> 0);
        }

        /** In the order of {@link io.multimed.server.propagation.commit.Publisher}. */
        void commit() {
            long scn = published + 1;
            Change change = new Change.RowChange(1, null, "(" + scn + ")");
            scns.publishing(List.of(new WriteSet(new Scn(scn), List.of(change), null, 10)), new Scn(scn));
            published = scn;
            applied = scn;
        }

        private CacheableRead begin() {
            return new CacheableRead(cache, KEY, scope, false, statement);
        }

        void read() {
            CacheableRead read = begin();
            long needed = published;
            Encoded found = read.find(new Scn(needed));
            if (found == null) {
                long asOf = applied;
                if (asOf < needed) {
                    return; // the read would wait for the satellite
                }
                found = result(applied);
                read.keep(found, new Scn(asOf));
            }
            long value = found.rows().data()[0];
            require(value >= needed, "a read of an earlier state", value);
        }

        /** Reads, or waits for an equal read that has begun. */
        void readTogether() {
            CacheableRead read = begin();
            Sharer sharer = new Sharer(published);
            if (read.await(sharer) == null) {
                long asOf = applied;
                read.keep(result(applied), new Scn(asOf));
                read.ended();
            }
        }

        private static Encoded result(long value) {
            return new Encoded(List.of(), new Rows(1, true, new byte[] {(byte) value}));
        }
    }

    /** A read that waits for an equal one. */
    private record Sharer(long scn) implements CacheableRead.Waiter {
        @Override
        public Scn needed() {
            return new Scn(scn);
        }

        @Override
        public void ended(@Nullable Encoded result) {
            if (result != null) {
                long value = result.rows().data()[0];
                require(value >= scn, "a shared read of an earlier state", value);
            }
        }
    }

    @Test
    void shouldReturnWhatIsPublishedOrSomethingLater() {
        Interleavings.repeat(() -> {
            Database database = new Database();
            database.read();
            Interleavings.run(
                    () -> {
                        database.commit();
                        database.commit();
                    },
                    () -> {
                        database.read();
                        database.read();
                    },
                    database::read);
            database.read();
        });
    }

    /** A read that waits for an equal one receives a result that is as late as this read needs, or runs itself. */
    @Test
    void shouldShareResultsThatAreLateEnough() {
        Interleavings.repeat(() -> {
            Database database = new Database();
            database.read();
            Interleavings.run(database::commit, database::readTogether, database::readTogether);
        });
    }
}
