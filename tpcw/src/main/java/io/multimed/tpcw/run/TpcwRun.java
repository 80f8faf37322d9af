package io.multimed.tpcw.run;

import java.util.List;

/**
 * Measures databases: one alone, or several in alternating rounds on the same cores, so that a drift of the machine's
 * speed affects all equally.
 */
public final class TpcwRun {
    private TpcwRun() {}

    /** Measures one target in one interval. */
    public static RunReport run(Target target, RunOptions options, RunProgress progress) throws InterruptedException {
        TargetRun run = new TargetRun(target, options, progress);
        run.round(options.warmup());
        return run.report();
    }

    /**
     * Measures several targets in the order A B A B A B.
     *
     * @param rounds rounds of each target; the first round has the whole warm-up, the others a short one
     */
    public static Comparison compare(List<Target> targets, RunOptions options, int rounds, RunProgress progress)
            throws InterruptedException {
        List<TargetRun> runs = targets.stream()
                .map(target -> new TargetRun(target, options, progress))
                .toList();
        for (int round = 0; round < rounds; round++) {
            for (TargetRun run : runs) {
                run.round(round == 0 ? options.warmup() : Math.min(2, options.warmup()));
            }
        }
        return new Comparison(runs.stream().map(TargetRun::report).toList(), rounds);
    }
}
