// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.machine;

/** Sleeps between two polls of a process. */
public final class Polling {
    private Polling() {}

    /**
     * Sleeps.
     *
     * @throws EngineException if the thread is interrupted, which stays so
     */
    public static void millis(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException("interrupted during the start or stop of an engine", e);
        }
    }
}
