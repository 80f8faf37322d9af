// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.sql.ViewKeys.Key;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ViewKeysTest {
    @Test
    void shouldFindTheColumnOfAGroupedSum() {
        assertThat(
                        ViewKeys.of(
                                " SELECT ol_i_id AS item,\n    sum(ol_qty) AS qty\n   FROM public.order_line\n  GROUP BY ol_i_id;"))
                .containsExactly(new Key("public", "order_line", "ol_i_id", "item"));
    }

    @Test
    void shouldFindOneOutputForTablesThatAreJoinedByIt() {
        assertThat(ViewKeys.of("""
                                SELECT i."Id" AS "Item", i.name, sum(ol.qty) AS qty, count(*) AS n
                                FROM (shop.item i JOIN shop.order_line ol ON ((ol.item_id = i."Id"))) WHERE (ol.qty > 0) GROUP BY i."Id", i.name"""))
                .containsExactlyInAnyOrder(
                        new Key("shop", "item", "Id", "Item"), new Key("shop", "order_line", "item_id", "Item"));
    }

    @Test
    void shouldFindSeveralOutputsIfOneIsNotSufficient() {
        assertThat(ViewKeys.of("""
                                select `o`.`id` AS `id`,`c`.`id` AS `customer`,`o`.`total` * 2 AS `twice`
                                from (`shop`.`orders` `o` join `shop`.`customer` `c`) where `o`.`total` > `c`.`least`"""))
                .containsExactlyInAnyOrder(
                        new Key("shop", "orders", "id", "id"), new Key("shop", "customer", "id", "customer"));
    }

    @Test
    void shouldFollowEqualColumnsThroughTables() {
        assertThat(ViewKeys.of("SELECT a.x FROM a, b, c WHERE a.x = b.y AND (b.y = c.z)"))
                .containsExactlyInAnyOrder(
                        new Key("", "a", "x", "x"), new Key("", "b", "y", "x"), new Key("", "c", "z", "x"));
    }

    @Test
    void shouldFindAllColumnsThatAreComparedWithAKey() {
        assertThat(ViewKeys.compared("SELECT a.x FROM a, b WHERE a.x = b.y AND b.y = b.k AND a.n = b.n;"))
                .containsExactlyInAnyOrder(
                        new Key("", "a", "x", "x"), new Key("", "b", "k", "x"), new Key("", "b", "y", "x"));
        assertThat(ViewKeys.compared("SELECT sum(x) AS s FROM a")).isEmpty();
    }

    @Test
    void shouldFindTheOrderOfRows() {
        assertThat(ViewKeys.order(
                        "SELECT a.x AS \"X\", sum(y) AS s FROM a GROUP BY a.x ORDER BY (sum(y)) DESC, a.x LIMIT 5",
                        name -> '"' + name + '"'))
                .contains(List.of("\"s\" DESC", "\"X\""));
        assertThat(ViewKeys.order("SELECT x FROM a", name -> name)).contains(List.of());
        assertThat(ViewKeys.order("SELECT x FROM a ORDER BY y", name -> name)).isEmpty();
        assertThat(ViewKeys.order("SELECT x FROM a UNION SELECT x FROM b ORDER BY 1", name -> name))
                .isEmpty();
    }

    @Test
    void shouldAddACondition() {
        assertThat(ViewKeys.restrict(
                        "select `shop`.`a`.`x` AS `x`,sum(`shop`.`a`.`y`) AS `s` from `shop`.`a` where `shop`.`a`.`y` > 1 or `shop`.`a`.`z` = 'A  b' group by `shop`.`a`.`x`",
                        "{x} IN (SELECT k FROM keys)"))
                .hasValueSatisfying(
                        text -> assertThat(text)
                                .isEqualToIgnoringWhitespace(
                                        "SELECT `shop`.`a`.`x` AS `x`, sum(`shop`.`a`.`y`) AS `s` FROM `shop`.`a` WHERE (`shop`.`a`.`y` > 1 OR `shop`.`a`.`z` = 'A  b') AND (`shop`.`a`.`x` IN (SELECT k FROM keys)) GROUP BY `shop`.`a`.`x`"));
        assertThat(ViewKeys.restrict("SELECT a.x AS x FROM a", "{x} = 1"))
                .contains("SELECT a.x AS x FROM a WHERE (a.x = 1)");
        assertThat(ViewKeys.restrict("SELECT x /* all */ AS x FROM a", "{x} = 1"))
                .isEmpty();
    }

    @Test
    void shouldFindAllTables() {
        assertThat(ViewKeys.tables("SELECT x FROM a JOIN s.b ON a.x = b.x WHERE EXISTS (SELECT 1 FROM `c`)"))
                .contains(Set.of("a", "s.b", "`c`"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT sum(x) AS s FROM a",
                "SELECT x + 1 AS y, sum(z) AS s FROM a GROUP BY x + 1",
                "SELECT a.x FROM a LEFT JOIN b ON a.x = b.x",
                "SELECT a.x FROM a JOIN a AS b ON a.x = b.x",
                "SELECT a.x FROM a JOIN b USING (x)",
                "SELECT a.x FROM a NATURAL JOIN b",
                "SELECT a.x FROM a, b WHERE a.x = b.x OR a.y = 1",
                "SELECT x FROM a WHERE x IN (SELECT y FROM b)",
                "SELECT x, row_number() OVER (ORDER BY y) AS r FROM a",
                "SELECT x, sum(y) AS s FROM a GROUP BY ROLLUP (x)",
                "SELECT DISTINCT ON (y) x FROM a",
                "SELECT x FROM a LIMIT 3",
                "SELECT x FROM a UNION SELECT x FROM b",
                "WITH c AS (SELECT 1) SELECT x FROM a",
                "SELECT y AS x, max(z) AS m FROM a GROUP BY x",
                "SELECT t.y AS o, sum(t.x) AS s FROM public.a t(y, x) GROUP BY t.y",
                "SELECT j['k'::text] AS x, sum(n) AS s FROM public.a GROUP BY j['k'::text]",
                "SELECT j[1] AS x FROM public.a",
                "SELECT a.x[1] AS x FROM public.a",
                "SELECT no view",
                "DELETE FROM a"
            })
    void shouldFindNothingIfOtherRowsMayDependOnARow(String definition) {
        assertThat(ViewKeys.of(definition)).isEmpty();
    }
}
