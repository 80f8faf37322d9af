// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.history.SimulatedStore.Habit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The checker agrees with an exhaustive reference on thousands of small random histories, and can check long
 * histories.
 */
@Timeout(120)
@Tag("slow")
class HistoryReferenceTest {
    private static final int HISTORIES = Integer.getInteger("multimed.test.histories", 150);
    private static final int TRANSACTIONS = Integer.getInteger("multimed.test.transactions", 4);
    private static final int GROUPS = Integer.getInteger("multimed.test.groups", 3_000);

    @ParameterizedTest
    @EnumSource
    void shouldAgreeWithAReferenceThatTriesEveryOrder(Habit habit) {
        Map<Isolation, Integer> rejected = new EnumMap<>(Isolation.class);
        for (int seed = 0; seed < HISTORIES; seed++) {
            HistoryText history = SimulatedStore.history(habit, TRANSACTIONS, new SplittableRandom(seed));
            List<Operation> operations = history.operations();
            for (Isolation isolation : Isolation.values()) {
                List<Anomaly> found = HistoryChecker.check(operations, Map.of(), isolation);
                rejected.merge(isolation, found.isEmpty() ? 0 : 1, Integer::sum);
                if (isolation != Isolation.READ_COMMITTED) {
                    assertThat(found.isEmpty())
                            .as(() -> "%s of%n%s%nfound: %s".formatted(isolation, history.json(), found))
                            .isEqualTo(ExhaustiveChecker.allows(operations, isolation));
                }
            }
        }
        boolean snapshot = habit == Habit.SNAPSHOT;
        boolean committed = snapshot || habit == Habit.COMMITTED;
        assertThat(rejected.get(Isolation.READ_COMMITTED) == 0).isEqualTo(committed);
        assertThat(rejected.get(Isolation.REPEATABLE_READ) == 0).isEqualTo(snapshot);
        assertThat(rejected.get(Isolation.SERIALIZABLE)).isPositive();
    }

    /** More transactions than an hour of a soak records, without an anomaly or with one. */
    @Test
    @Timeout(60)
    void shouldCheckALongHistory() {
        HistoryText history = new HistoryText();
        for (int group = 0; group < GROUPS; group++) {
            int key = group / 20;
            int length = group % 20;
            history.together(
                    "r%1$d=%2$s a%1$d=%3$d".formatted(key, list(length), length + 1),
                    "r%d=%s".formatted(key, list(length)),
                    "r%d=%s a%d=%d".formatted(key, list(length), 1_000_000 + key, length),
                    "r%d=%s r%d=%s".formatted(key, list(length), 2_000_000 + key, list(0)),
                    "fail a%d=%d".formatted(key, 1_000_000 + group));
        }
        assertThat(check(history)).isEmpty();
        assertThat(check(history.together("r0=[]"))).containsExactly("stale read");
    }

    private static List<String> check(HistoryText history) {
        return HistoryChecker.check(history.operations()).stream()
                .map(Anomaly::name)
                .toList();
    }

    private static String list(int length) {
        StringBuilder list = new StringBuilder("[");
        for (int value = 1; value <= length; value++) {
            list.append(value == 1 ? "" : ",").append(value);
        }
        return list.append(']').toString();
    }
}
