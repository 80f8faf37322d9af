package io.multimed.tpcw.population;

/** Hears how a load goes on. */
@FunctionalInterface
public interface LoadProgress {
    /**
     * Called now and then.
     *
     * @param what the table, or what is done after the tables
     * @param fraction of the whole load, 0 to 1
     */
    void loaded(String what, double fraction);
}
