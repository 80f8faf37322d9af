// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import io.multimed.tpcw.run.Target;
import java.util.Map;

/** One of the ways to the engine. */
interface HopTarget {
    /** Returns the name for options and figures. */
    String name();

    /**
     * Makes the way ready for a number of clients.
     *
     * @throws io.multimed.deploy.launcher.machine.EngineException if a program does not start
     */
    Running start(int clients);

    /** Returns a way that exists for the whole run. */
    static HopTarget lasting(Target target, Map<Long, String> roots) {
        return new HopTarget() {
            @Override
            public String name() {
                return target.name();
            }

            @Override
            public Running start(int clients) {
                return new Running(target, roots, () -> {});
            }
        };
    }

    /**
     * A way that is ready for clients.
     *
     * @param roots the first process of each group of processes whose CPU time is reported
     * @param end ends the processes that were started for these clients
     */
    record Running(Target target, Map<Long, String> roots, Runnable end) implements AutoCloseable {
        @Override
        public void close() {
            end.run();
        }
    }
}
