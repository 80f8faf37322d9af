package io.multimed.deploy.launcher;

/** Waits between two looks at a process. */
final class Polling {
    private Polling() {}

    static void millis(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException("interrupted while an engine starts or stops", e);
        }
    }
}
