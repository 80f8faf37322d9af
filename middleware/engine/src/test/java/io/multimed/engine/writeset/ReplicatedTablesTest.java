// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.writeset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ReplicatedTablesTest {
    private static ReplicatedTables of(String... entries) {
        return new ReplicatedTables(false, Set.of(entries));
    }

    @Test
    void shouldHoldTheTablesOfASchema() {
        ReplicatedTables sales = of("sales.*");
        assertThat(sales.includes("sales", "orders")).isTrue();
        assertThat(sales.includes("Sales", "a.b")).isTrue();
        assertThat(sales.includes("sales2", "orders")).isFalse();
        assertThat(sales.includes("public", "sales.orders")).isFalse();
    }

    @Test
    void shouldHoldTablesByPattern() {
        ReplicatedTables orders = of("order_*", "tenant_?.item", "public.log?");
        assertThat(orders.includes("any", "ORDER_line")).isTrue();
        assertThat(orders.includes("any", "order_")).isTrue();
        assertThat(orders.includes("any", "orders")).isFalse();
        assertThat(orders.includes("any", "my_order_line")).isFalse();
        assertThat(orders.includes("tenant_1", "item")).isTrue();
        assertThat(orders.includes("tenant_12", "item")).isFalse();
        assertThat(orders.includes("public", "log1")).isTrue();
        assertThat(orders.includes("public", "log")).isFalse();
        assertThat(orders.includes("other", "log1")).isFalse();
    }

    @Test
    void shouldFindTheCharactersThatAStarStandsFor() {
        assertThat(of("*ab*ab").includes("s", "xabyabab")).isTrue();
        assertThat(of("*ab*ab").includes("s", "abab")).isTrue();
        assertThat(of("*ab*ab").includes("s", "ab")).isFalse();
        assertThat(of("a*?c").includes("s", "abcbc")).isTrue();
        assertThat(of("a*?c").includes("s", "ac")).isFalse();
        assertThat(of("a**").includes("s", "a")).isTrue();
        assertThat(of("a?*").includes("s", "a")).isFalse();
        assertThat(of("*").includes("s", "")).isTrue();
    }

    @Test
    void shouldGiveNoOtherCharacterAMeaning() {
        assertThat(of("a+b_*").includes("s", "a+b_c")).isTrue();
        assertThat(of("a.b?").includes("s", "a_bc")).isFalse();
        assertThat(of("[ab]*").includes("s", "a")).isFalse();
        assertThat(of("\\q*\\e*").includes("s", "\\qx\\e")).isTrue();
        assertThat(of("order_").includes("s", "order_line")).isFalse();
    }

    /** A name without a schema may stand for a table of a schema that is not held. */
    @Test
    void shouldNotTakeAnUnqualifiedNameForATableOfASchema() {
        assertThat(of("sales.*").includesAll(Set.of("orders"))).isFalse();
        assertThat(of("sales.*").includesAll(Set.of("sales.orders"))).isTrue();
        assertThat(of("sales.*").includesAll(Set.of("sales.orders", "orders"))).isFalse();
        assertThat(of("sales.*").includesAll(Set.of("sales.public.orders"))).isFalse();
        assertThat(of("sales.order_*").includesAll(Set.of("sales.orders"))).isFalse();
        assertThat(of("*.orders").includesAll(Set.of("orders"))).isFalse();
    }

    @Test
    void shouldTakeAnEntryWithoutASchemaForTablesOfAllSchemas() {
        assertThat(of("order_*").includesAll(Set.of("order_line", "sales.order_x")))
                .isTrue();
        assertThat(of("order_*").includesAll(Set.of("order_line", "item"))).isFalse();
        assertThat(of("orders").includesAll(Set.of("sales.orders", "orders"))).isTrue();
        assertThat(of("sales.orders").includesAll(Set.of("orders"))).isTrue();
    }

    @Test
    void shouldAddNamesThatAreNoPatterns() {
        ReplicatedTables more = of("order_*").with(Set.of("a*"));
        assertThat(more.includes("s", "order_1")).isTrue();
        assertThat(more.includes("s", "a*")).isTrue();
        assertThat(more.includes("s", "ab")).isFalse();
    }

    @Test
    void shouldDistinguishCopiesOfDifferentTables() {
        UUID history = UUID.fromString("00000000-0000-0000-0000-000000000001");
        assertThat(ReplicatedTables.ALL.copyId(history)).isEqualTo(history);
        assertThat(of("a", "b*").copyId(history)).isEqualTo(of("b*", "a").copyId(history));
        assertThat(of("a").copyId(history))
                .isNotEqualTo(of("a", "b*").copyId(history))
                .isNotEqualTo(of("a").copyId(UUID.fromString("00000000-0000-0000-0000-000000000002")))
                .isNotEqualTo(history);
    }
}
