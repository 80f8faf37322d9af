// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Change.RelationChange;
import io.multimed.engine.writeset.Change.RowChange;
import io.multimed.engine.writeset.Change.StatementChange;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresCatalogTest {
    private static final Change TABLE = new StatementChange("public", "CREATE TABLE public.t (id integer NOT NULL)");
    private static final Change FORM =
            new RelationChange(new Relation(16_400, "public", "t", List.of("id"), List.of(0)));

    private final CatalogReader catalog = new PostgresCatalog();

    private boolean mayChangeFacts(Change... changes) {
        return catalog.mayChangeFacts(new WriteSet(new Scn(1), List.of(changes), null, 0));
    }

    /** Tables are facts, too: changes of some may share transactions. */
    @Test
    void shouldReadTheFactsAgainAfterDdlOnTables() {
        assertThat(mayChangeFacts(new RowChange(16_400, null, "(1)"))).isFalse();
        assertThat(mayChangeFacts(TABLE, FORM, new RowChange(16_400, null, "(1)")))
                .isTrue();
        assertThat(mayChangeFacts(new StatementChange("", "DROP TABLE IF EXISTS public.t CASCADE")))
                .isTrue();
    }

    /** The second one stands for a command that satellites need not run. */
    @ParameterizedTest
    @ValueSource(
            strings = {"DROP ROUTINE IF EXISTS public.f() CASCADE", "SELECT", "CREATE TYPE public.e AS ENUM ('a')"})
    void shouldReadTheFactsAgainAfterOtherDdlInTheSameTransaction(String sql) {
        assertThat(mayChangeFacts(TABLE, FORM, new StatementChange("public", sql)))
                .isTrue();
    }

    @Test
    void shouldReadTheFactsAgainIfChangesCannotBeSeen() {
        assertThat(catalog.mayChangeFacts(WriteSet.unreadable(new Scn(1), "no such operation")))
                .isTrue();
        assertThat(catalog.mayChangeFacts(new WriteSet(new Scn(1), List.of(TABLE), new Spill(0, 7, 1, true), 0)))
                .isTrue();
        assertThat(catalog.mayChangeFacts(new WriteSet(new Scn(1), List.of(), new Spill(0, 7, 1, false), 0)))
                .isFalse();
    }
}
