package io.multimed.deploy.bench;

/**
 * Parameters of a measurement.
 *
 * @param warmup seconds before each measured interval
 * @param rows rows of the table, divided among the clients
 */
public record BenchOptions(Kind kind, int clients, int seconds, int warmup, int rounds, int rows) {
    /** Operation that each client repeats. */
    public enum Kind {
        /** Updates a row that belongs to the client, and commits. */
        COMMIT,
        /** Reads a row by its key. */
        READ
    }

    public BenchOptions {
        if (clients < 1 || seconds < 1 || warmup < 0 || rounds < 1 || rows < clients) {
            throw new IllegalArgumentException(
                    "clients, seconds and rounds must be at least 1, and rows at least the number of clients");
        }
    }
}
