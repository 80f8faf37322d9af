// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.run;

import java.sql.SQLException;
import java.util.List;

/**
 * Measures databases: one alone, or several in alternating rounds on the same cores, so that a drift of the machine's
 * speed affects all equally.
 */
public final class TpcwRun {
    private static final int LATER_WARMUP_SECONDS = 2;

    private TpcwRun() {}

    /** Measures one target in one interval. */
    public static RunReport run(Target target, RunOptions options, RunProgress progress) throws InterruptedException {
        return compare(List.of(target), options, 1, progress).reports().get(0);
    }

    /**
     * Measures several targets in turns, as {@link #compare(List, RunOptions, int, RunProgress, RoundListener)} does,
     * without a listener.
     */
    public static Comparison compare(List<Target> targets, RunOptions options, int rounds, RunProgress progress)
            throws InterruptedException {
        try {
            return compare(targets, options, rounds, progress, new RoundListener() {});
        } catch (SQLException e) {
            throw new IllegalStateException("only listeners report failures of SQL", e);
        }
    }

    /**
     * Measures several targets in turns. Each round begins with the target after the first one of the round before, in
     * the order A B C, B C A, C A B, so that no target is always measured after the same one. The browsers of a target
     * keep their connections.
     *
     * @param rounds rounds of each target; the first round has the whole warm-up, the others a short one
     * @param listener receives the limits of each round
     * @throws SQLException that of the listener
     */
    public static Comparison compare(
            List<Target> targets, RunOptions options, int rounds, RunProgress progress, RoundListener listener)
            throws InterruptedException, SQLException {
        List<TargetRun> runs = targets.stream()
                .map(target -> new TargetRun(target, options, progress))
                .toList();
        try {
            for (int round = 0; round < rounds; round++) {
                for (int turn = 0; turn < runs.size(); turn++) {
                    int number = (round + turn) % runs.size();
                    runs.get(number).round(round == 0 ? options.warmup() : laterWarmup(options), listener, number);
                    listener.ended(number, round + 1);
                }
            }
        } finally {
            runs.forEach(TargetRun::close);
        }
        return new Comparison(runs.stream().map(TargetRun::report).toList(), rounds);
    }

    /** Returns the seconds of warm-up of each round after the first one. */
    private static int laterWarmup(RunOptions options) {
        return Math.min(LATER_WARMUP_SECONDS, options.warmup());
    }

    /** Returns the seconds that all rounds of one target take, without the time in which its browsers end. */
    public static int seconds(RunOptions options, int rounds) {
        return options.warmup() + rounds * options.seconds() + (rounds - 1) * laterWarmup(options);
    }
}
