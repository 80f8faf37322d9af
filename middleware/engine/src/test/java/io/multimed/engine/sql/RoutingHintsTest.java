// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoutingHintsTest {
    private static RoutingHints of(String sql) throws RoutingHints.MalformedException {
        return RoutingHints.of(sql);
    }

    @Test
    void shouldReadHintsAtTheBeginOrBehindTheFirstWord() throws Exception {
        RoutingHints all = new RoutingHints(false, "s-1", "reports", Duration.ofSeconds(30), false);
        assertThat(of("/*+ multimed: node=s-1 class=reports, freshness=30s cache=off */ SELECT 1"))
                .isEqualTo(all);
        assertThat(of(" SELECT\n/* + Multimed :node=s-1\tCLASS=reports freshness=30s,cache=OFF*/ 1"
                        .replace("Multimed", "multimed")))
                .isEqualTo(all);
        assertThat(of("-- a comment\n/* by a framework */ /*+ multimed: master */ SELECT 1"))
                .isEqualTo(new RoutingHints(true, null, null, null, true));
        assertThat(of("/*+ multimed: freshness=1500ms */ SELECT 1").freshness()).isEqualTo(Duration.ofMillis(1_500));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1",
                "",
                "SELECT '/*+ multimed: master */'",
                "SELECT 1 /*+ multimed: master */",
                "SELECT a /*+ multimed: master */ FROM b",
                "/* multimed: master */ SELECT 1",
                "/*! SELECT */ /*+ multimed: master */ 1",
                "/* a /* nested */ comment */ /*+ multimed: master */ SELECT 1",
                "/*/*/**/*/*/ SELECT 1",
                "/*/ /*+ multimed: master */ SELECT 1",
                "/* /*/ /*+ multimed: master */ SELECT 1 */ */",
                "SELECT /*/",
                "/*",
                "/*+ SeqScan(a) */ SELECT 1",
                "SELECT /*+ multimed: master",
                "-- /*+ multimed: master */"
            })
    void shouldTakeNothingElseForHints(String sql) throws Exception {
        assertThat(of(sql)).isEqualTo(RoutingHints.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "slave",
                "master=yes",
                "master=",
                "node",
                "node=",
                "node=a'b",
                "class=1",
                "freshness=30",
                "freshness=-1s",
                "freshness=99999999s",
                "freshness=2h",
                "cache=on",
                "cache"
            })
    void shouldRefuseHintsThatDoNotExist(String hints) {
        assertThatThrownBy(() -> of("/*+ multimed: " + hints + " */ SELECT 1"))
                .isInstanceOf(RoutingHints.MalformedException.class)
                .hasMessageContaining("is not a valid hint: ");
    }
}
