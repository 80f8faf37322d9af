// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.population.RandomValues;
import io.multimed.tpcw.population.TpcwTexts;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The mixes' long-run frequencies are those of the specification, to the second digit. */
class MixTest {
    private static final InteractionType[] COLUMNS = {
        InteractionType.HOME, InteractionType.NEWP, InteractionType.BESS, InteractionType.PROD, InteractionType.SREQ,
                InteractionType.SRES,
        InteractionType.SHOP, InteractionType.CREG, InteractionType.BUYR, InteractionType.BUYC, InteractionType.ORDI,
                InteractionType.ORDD,
        InteractionType.ADMR, InteractionType.ADMC
    };

    /** In the order above, in percent. */
    static final Map<Mix, double[]> SPECIFIED = Map.of(
            Mix.BROWSING,
                    new double[] {
                        29.00, 11.00, 11.00, 21.00, 12.00, 11.00, 2.00, 0.82, 0.75, 0.69, 0.30, 0.25, 0.10, 0.09
                    },
            Mix.SHOPPING,
                    new double[] {
                        16.00, 5.00, 5.00, 17.00, 20.00, 17.00, 11.60, 3.00, 2.60, 1.20, 0.75, 0.66, 0.10, 0.09
                    },
            Mix.ORDERING,
                    new double[] {
                        9.12, 0.46, 0.46, 12.35, 14.53, 13.08, 13.53, 12.86, 12.73, 10.18, 0.25, 0.22, 0.12, 0.11
                    });

    static double specified(Mix mix, InteractionType type) {
        for (int i = 0; i < COLUMNS.length; i++) {
            if (COLUMNS[i] == type) {
                return SPECIFIED.get(mix)[i];
            }
        }
        throw new IllegalArgumentException(type.title());
    }

    @ParameterizedTest
    @EnumSource
    void shouldHaveTheSpecifiedFrequencies(Mix mix) {
        Map<InteractionType, Double> share = new EnumMap<>(InteractionType.class);
        for (InteractionType type : InteractionType.values()) {
            share.put(type, 1.0 / 14);
        }
        for (int step = 0; step < 5_000; step++) {
            share = next(mix, share);
        }
        for (InteractionType type : InteractionType.values()) {
            assertThat(share.get(type) * 100).as(type.title()).isCloseTo(specified(mix, type), within(0.02));
        }
    }

    private static Map<InteractionType, Double> next(Mix mix, Map<InteractionType, Double> share) {
        Map<InteractionType, Double> after = new EnumMap<>(InteractionType.class);
        for (InteractionType from : InteractionType.values()) {
            for (InteractionType to : InteractionType.values()) {
                after.merge(to, share.get(from) * mix.probability(from, to), Double::sum);
            }
        }
        return after;
    }

    @Test
    void shouldMakeTextsFromNumbers() {
        assertThat(TpcwTexts.digSyl(0, 0)).isEqualTo("BA");
        assertThat(TpcwTexts.digSyl(142, 0)).isEqualTo("OGREAL");
        assertThat(TpcwTexts.digSyl(7, 3)).isEqualTo("BABAUL");
    }

    @Test
    void shouldDrawNonUniformNumbersWithinTheirBounds() {
        RandomValues dice = new RandomValues(1);
        long[] halves = new long[2];
        for (int i = 0; i < 100_000; i++) {
            int customer = dice.customer(28_800);
            assertThat(customer).isBetween(1, 28_800);
            halves[customer % 2]++;
        }
        assertThat(halves[0]).isNotEqualTo(halves[1]);
        assertThat(new RandomValues(5).aString(10, 20)).isEqualTo(new RandomValues(5).aString(10, 20));
    }
}
