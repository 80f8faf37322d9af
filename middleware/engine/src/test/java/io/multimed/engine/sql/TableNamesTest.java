// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.sql.TableNames.QualifiedName;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TableNamesTest {
    private final TableNames.Builder builder = new TableNames.Builder();

    private static Token word(String text) {
        return new Token(Token.Kind.WORD, text, 0, 0);
    }

    private static Token quoted(String text) {
        return new Token(Token.Kind.QUOTED_NAME, text, 0, 0);
    }

    private static Token sign(String text) {
        return new Token(Token.Kind.SIGN, text, 0, 0);
    }

    @Test
    void shouldFindATableWithAndWithoutItsSchema() {
        TableNames names = builder.table(1, "Shop", "Book").build();
        assertThat(names.tables())
                .containsEntry("book", Set.of(1L))
                .containsEntry("shop.book", Set.of(1L))
                .hasSize(2);
    }

    @Test
    void shouldTakeANameForAllTablesThatCouldHaveIt() {
        TableNames names = builder.table(1, "a", "t")
                .table(2, "b", "T")
                .table(3, "b", "\"t\"")
                .table(4, "c", "a.t")
                .build();
        assertThat(names.tables()).containsEntry("t", Set.of(1L, 2L, 3L)).containsEntry("a.t", Set.of(1L, 4L));
    }

    @Test
    void shouldFollowViewsAndChildren() {
        TableNames names = builder.view(10, "s", "outer")
                .view(11, "s", "inner")
                .table(1, "s", "parent")
                .table(2, "s", "child")
                .table(3, "s", "alone")
                .reads(10, 11)
                .reads(11, 1)
                .reads(1, 2)
                .reads(2, 1) // a cycle ends
                .build();
        assertThat(names.tables())
                .containsEntry("outer", Set.of(1L, 2L))
                .containsEntry("parent", Set.of(1L, 2L))
                .containsEntry("alone", Set.of(3L));
    }

    @Test
    void shouldFindAllTablesAndViewsThatNamesMayStandFor() {
        TableNames names = builder.view(10, "s", "v")
                .table(1, "s", "T")
                .table(2, "other", "t")
                .table(3, "s", "seq")
                .reads(10, 1)
                .opaque("seq")
                .build();
        assertThat(names.relations(Set.of("v")))
                .containsExactlyInAnyOrder(new QualifiedName("s", "v"), new QualifiedName("s", "T"));
        assertThat(names.relations(Set.of("s.v", "t")))
                .containsExactlyInAnyOrder(
                        new QualifiedName("s", "v"), new QualifiedName("s", "T"), new QualifiedName("other", "t"));
        assertThat(names.relations(Set.of())).isEmpty();
        assertThat(names.relations(Set.of("t", "unknown"))).isNull();
        assertThat(names.relations(Set.of("seq"))).isNull();
    }

    @Test
    void shouldFollowTheNamesInTheTextOfAView() {
        TableNames names = builder.view(-1, "s", "v")
                .table(1, "s", "t")
                .table(2, "s", "u")
                .readsNamed(-1, Set.of("select", "s", "t", "v"))
                .build();
        assertThat(names.tables()).containsEntry("v", Set.of(1L));
    }

    @Test
    void shouldKnowNothingOfAViewThatReadsWhatIsNoTable() {
        TableNames names = builder.view(10, "s", "v")
                .view(11, "s", "w")
                .table(1, "s", "t")
                .reads(10, 11)
                .reads(11, 1)
                .reads(11, 99)
                .opaque("F")
                .build();
        assertThat(names.opaque()).containsExactlyInAnyOrder("v", "s.v", "w", "s.w", "f");
        assertThat(names.tables()).containsOnlyKeys("t", "s.t");
    }

    @Test
    void shouldNotFollowManyTables() {
        builder.table(0, "s", "parent");
        LongStream.rangeClosed(1, TableNames.MAX_TABLES)
                .forEach(id -> builder.table(id, "s", "part" + id).reads(0, id));
        assertThat(builder.build().opaque()).containsExactlyInAnyOrder("parent", "s.parent");
    }

    @Test
    void shouldReturnAllNamesOfATextInLowerCase() {
        assertThat(TableNames.in(List.of(word("SELECT"), quoted("\"A\"\"b\""), sign("."), quoted("`C`"), sign("("))))
                .containsExactlyInAnyOrder("select", "ab", "c");
        assertThat(TableNames.in(List.of(word("a"), sign("<"), sign("%"), word("b"))))
                .containsExactlyInAnyOrder("a", "%", "b");
    }

    @Test
    void shouldNotCompareNamesWithEscapesOrOtherLetters() {
        assertThat(TableNames.in(List.of(word("U"), sign("&"), quoted("\"d\\0061ta\""))))
                .isNull();
        assertThat(TableNames.in(List.of(word("\u00e4"), word("A")))).isNull();
    }

    @Test
    void shouldKnowWhatMayDependOnTheTimeAlsoIfTheTablesAreUnknown() {
        TableNames.Builder names = new TableNames.Builder()
                .table(1, "s", "a")
                .view(2, "s", "Clock")
                .timed("s", "Clock");
        assertThat(names.build().timed()).containsOnly("clock", "s.clock");
        assertThat(names.withoutTables().timed()).containsOnly("clock", "s.clock");
        assertThat(names.withoutTables().tables()).isEmpty();
    }
}
