// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.sql.TableNames;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TableScnsTest {
    private static final TableNames NAMES = new TableNames.Builder()
            .table(1, "s", "book")
            .table(2, "s", "author")
            .view(3, "s", "both")
            .reads(3, 1)
            .reads(3, 2)
            .opaque("f")
            .build();

    private final TableScns scns = new TableScns(new Scn(10), row -> List.of());

    /** The last SCN that was passed on. */
    private long published = 10;

    @BeforeEach
    void install() throws InterruptedException {
        scns.discard();
        needed("book"); // asks for names
        scns.install(NAMES, scns.awaitQuestion());
    }

    private static Change row(long table) {
        return new Change.RowChange(table, null, "(1)");
    }

    private static WriteSet writeSet(long scn, Change... changes) {
        return new WriteSet(new Scn(scn), List.of(changes), null, 10);
    }

    private void publish(WriteSet... writeSets) {
        Scn end = writeSets[writeSets.length - 1].scn();
        scns.publishing(List.of(writeSets), end);
        published = end.value();
    }

    /** Returns what a query needs that contains these names, the first of which is that of its table. */
    private long needed(String... names) {
        return needed(Set.of(names), Set.of(names[0]));
    }

    private long needed(@Nullable Set<String> names, Set<String> tables) {
        return scns.needed(names, tables, new Scn(published)).value();
    }

    @Test
    void shouldNeedTheLastChangeOfItsTables() {
        publish(writeSet(11, row(1)));
        publish(writeSet(12, row(2)));
        publish(writeSet(13));
        assertThat(needed("book", "select")).isEqualTo(11);
        assertThat(needed("s.author")).isEqualTo(12);
        assertThat(needed("both")).isEqualTo(12);
        assertThat(needed(Set.of("select", "1"), Set.of())).isEqualTo(10);
    }

    @Test
    void shouldNeedTheEndOfTheBatchInWhichSatellitesShowTheChange() {
        publish(writeSet(11, row(1)), writeSet(12, row(2)), writeSet(13));
        assertThat(needed("book")).isEqualTo(13);
    }

    @Test
    void shouldIncludeTablesThatOnlyTheNamesInTheTextTell() {
        publish(writeSet(11, row(2)));
        assertThat(needed("book", "author")).isEqualTo(11);
    }

    @Test
    void shouldNeedEverythingIfTheTablesAreUnknown() {
        publish(writeSet(11));
        assertThat(needed("missing", "book")).isEqualTo(11);
        assertThat(needed("book", "f")).isEqualTo(11);
        assertThat(needed(null, Set.of("book"))).isEqualTo(11);
        assertThat(needed("book")).isEqualTo(10);
    }

    @Test
    void shouldCountChangesOfUnknownExtentForAllTables() {
        publish(writeSet(11, row(99)));
        assertThat(needed("book")).as("an unknown table").isEqualTo(11);
        publish(writeSet(12, new Change.Truncation(2)));
        assertThat(needed("book")).as("TRUNCATE").isEqualTo(12);
        publish(new WriteSet(new Scn(13), List.of(), new Spill(0, 1, 5, false), 0));
        assertThat(needed("book")).as("a large WriteSet").isEqualTo(13);
        publish(writeSet(14, new Change.LargeRowChange(2, null, "(1)", List.of())));
        assertThat(needed("book")).isEqualTo(13);
        assertThat(needed("author")).as("a large row").isEqualTo(14);
    }

    @Test
    void shouldNotNeedMoreThanWasPublishedWhenTheReadBegan() {
        publish(writeSet(11, row(2)));
        scns.publishing(List.of(writeSet(12, row(1))), new Scn(12));
        assertThat(needed("book")).isEqualTo(11);
    }

    private static List<WriteSet> schemaChanges(long scn) {
        return List.of(
                writeSet(scn, row(1), new Change.StatementChange("", "DROP TABLE x")),
                writeSet(scn, new Change.FormChange(1, null)),
                writeSet(scn, new Change.RelationChange(new Relation(1, "s", "book", List.of(), List.of()))),
                new WriteSet(new Scn(scn), List.of(), new Spill(0, 1, 5, true), 0),
                WriteSet.unreadable(new Scn(scn), "for this test"));
    }

    @Test
    void shouldNeedThePublishedScnFromASchemaChangeUntilTheNamesAreKnownAgain() throws Exception {
        for (WriteSet change : schemaChanges(20)) {
            install();
            publish(change);
            assertThat(needed("book")).isEqualTo(20);
            publish(writeSet(21));
            assertThat(needed("book")).isEqualTo(21);
            scns.install(NAMES, scns.awaitQuestion());
            publish(writeSet(22, row(2)));
            assertThat(needed("book")).as("what was published before").isEqualTo(21);
            assertThat(needed("author")).isEqualTo(22);
        }
    }

    @Test
    void shouldNotInstallNamesThatWereReadBeforeASchemaChange() throws Exception {
        scns.discard();
        needed("book");
        long schema = scns.awaitQuestion();
        publish(writeSet(11, new Change.StatementChange("", "ALTER TABLE book RENAME TO author")));
        scns.install(NAMES, schema);
        publish(writeSet(12));
        assertThat(needed("book")).isEqualTo(12);
    }

    @Test
    void shouldAskForNamesOnlyWhenAReadNeedsThem() throws Exception {
        scns.discard();
        CompletableFuture<Long> asked = CompletableFuture.supplyAsync(() -> {
            try {
                return scns.awaitQuestion();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        publish(writeSet(11, row(1)));
        assertThat(asked).isNotDone();
        needed("book");
        scns.install(NAMES, asked.get(30, TimeUnit.SECONDS));
        publish(writeSet(12));
        assertThat(needed("book")).isEqualTo(11);
    }
}
