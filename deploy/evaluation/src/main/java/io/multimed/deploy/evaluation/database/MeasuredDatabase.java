// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.database;

import io.multimed.tpcw.population.Loader;
import io.multimed.tpcw.run.Target;
import io.multimed.tpcw.schema.Scale;
import java.io.Closeable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Consumer;

/** A running database. Closing stops its processes; its data remains. */
public interface MeasuredDatabase extends Closeable {
    /** Seed of the data, the same for all databases. */
    long SEED = 42;

    /** Returns how clients connect. */
    Target target();

    /** Returns the first process of each group of processes, for CPU times. */
    Map<Long, String> processes();

    /** Waits until all copies show all changes. */
    void settle() throws SQLException, InterruptedException;

    /** Loads TPC-W, unless the database contains this scale already. */
    default void load(Scale scale, Consumer<String> progress) throws SQLException, InterruptedException {
        try (Connection connection = target().connect()) {
            Loader loader = new Loader(
                    connection,
                    scale,
                    SEED,
                    (what, fraction) -> progress.accept(
                            "loading %s: %s, %d %%".formatted(target().name(), what, Math.round(fraction * 100))));
            if (!loader.isLoaded()) {
                loader.load();
            }
        }
        settle();
    }
}
