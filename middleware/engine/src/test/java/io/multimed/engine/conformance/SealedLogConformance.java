// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.master.Retention;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests that sealed WriteSets are found in order and by receipt until they are dropped. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SealedLogConformance extends ConformanceTest {
    private Scn before;
    private final List<Receipt> receipts = new ArrayList<>();

    @BeforeAll
    void commitFive() throws SQLException {
        replication().run("CREATE TABLE entries (id INT PRIMARY KEY)");
        before = replication().last();
        for (int i = 1; i <= 5; i++) {
            Receipt receipt = replication().nextReceipt();
            receipts.add(receipt);
            try (Connection connection = replication().connect()) {
                Sql.run(connection, "INSERT INTO entries VALUES (" + i + ")");
                replication().commit(connection, receipt);
            }
        }
    }

    private Scn scn(int number) {
        return new Scn(before.value() + number);
    }

    private List<Scn> sealed(Scn after, Scn upTo, int limit) throws SQLException {
        return replication().store().log().sealed(replication().fencing(), after, upTo, limit).stream()
                .map(WriteSet::scn)
                .toList();
    }

    @Test
    void shouldReturnWriteSetsInOrder() throws SQLException {
        assertThat(sealed(before, scn(5), 10)).containsExactly(scn(1), scn(2), scn(3), scn(4), scn(5));
        assertThat(sealed(scn(1), scn(4), 10)).containsExactly(scn(2), scn(3), scn(4));
        assertThat(sealed(before, scn(5), 2)).containsExactly(scn(1), scn(2));
        assertThat(sealed(scn(5), scn(5), 10)).isEmpty();
    }

    @Test
    void shouldFindCommitsByReceipt() throws SQLException {
        Receipt unused = new Receipt(receipts.get(0).sessionId(), 1_000_000);
        Map<Receipt, Scn> found = replication()
                .store()
                .log()
                .sealed(replication().fencing(), List.of(receipts.get(1), unused, receipts.get(4)));
        assertThat(found).containsOnly(Map.entry(receipts.get(1), scn(2)), Map.entry(receipts.get(4), scn(5)));
    }

    @Test
    void shouldReturnCommitsAfterAnScnByReceipt() throws SQLException {
        Map<Receipt, WriteSet> found =
                replication().store().log().sealedAfter(replication().fencing(), scn(3));
        assertThat(found.get(receipts.get(3)).scn()).isEqualTo(scn(4));
        assertThat(found.get(receipts.get(4)).scn()).isEqualTo(scn(5));
        assertThat(found).doesNotContainKeys(receipts.get(0), receipts.get(1), receipts.get(2));
    }

    @Test
    void shouldContinueAfterTheLastScn() throws SQLException {
        assertThat(replication().store().log().resume(replication().fencing()))
                .isEqualTo(replication().last());
    }

    @Test
    void shouldForceTheLog() throws SQLException {
        try (Connection log = replication().engine().connectLog(replication().masterAccess())) {
            log.setAutoCommit(true);
            replication().store().logForcing().forceLog(log);
        }
    }

    /**
     * No WriteSet that a satellite lacks may be dropped. Requests for dropped WriteSets are refused; an incomplete
     * result is an error.
     */
    @Test
    void shouldDropOnlyAppliedWriteSets() throws SQLException {
        replication().replicate();
        Scn applied = replication().last();
        replication().run("INSERT INTO entries VALUES (100)");
        Scn base = Scn.ZERO;
        for (int i = 0; i < 3; i++) {
            base = replication().store().log().drop(replication().fencing(), applied, new Retention(applied, 0));
        }
        assertThat(base.isAfter(applied)).isFalse();
        assertThat(replication().store().log().base(replication().fencing())).isEqualTo(base);
        assertThat(sealed(applied, replication().last(), 10)).hasSize(1);
        if (base.value() > 1) {
            Scn dropped = new Scn(base.value() - 1);
            assertThatThrownBy(() -> sealed(dropped, applied, 10)).isInstanceOf(SQLException.class);
        }
        replication().assertSame();
    }
}
