package io.multimed.tpcw.run;

/** Hears how a run goes on, a few times a second. */
@FunctionalInterface
public interface RunProgress {
    /**
     * How it stands.
     *
     * @param target which database
     * @param round from 1; 0 while warming up
     * @param fraction of this phase, 0 to 1
     * @param wips web interactions per second since the last call
     * @param millis mean response time since the last call
     */
    void running(Target target, int round, double fraction, double wips, double millis, long errors);
}
