package io.multimed.tpcw.run;

import java.util.List;

/** Measures targets: one alone, or several in turns in one go on the same cores, so that a drift of the machine's speed meets all of them alike. */
public final class TpcwRun {
    private TpcwRun() {}

    /** One target, one interval. */
    public static RunReport run(Target target, RunOptions options, RunProgress progress) throws InterruptedException {
        TargetRun run = new TargetRun(target, options, progress);
        run.round(options.warmup());
        return run.report();
    }

    /**
     * Several targets, A B A B A B.
     *
     * @param rounds of each target; the whole warm-up comes in the first one, a short one in the others
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
