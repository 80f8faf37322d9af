package io.multimed.deploy.bench;

/**
 * How a measurement goes.
 *
 * @param rows rows of the table, shared out among the clients
 */
public record BenchOptions(Kind kind, int clients, int seconds, int warmup, int rounds, int rows) {
    /** What each client does, again and again. */
    public enum Kind {
        /** Updates one of its own rows and commits. */
        COMMIT,
        /** Reads one row by its key. */
        READ
    }

    public BenchOptions {
        if (clients < 1 || seconds < 1 || warmup < 0 || rounds < 1 || rows < clients) {
            throw new IllegalArgumentException(
                    "clients, seconds and rounds must be at least 1, and there must be a row for each client");
        }
    }
}
