package io.multimed.deploy.history;

import java.sql.Connection;
import java.util.Locale;

/** What the read-write transactions of a history asked for, the weakest first; its read-only ones are promised a strong snapshot in any case. */
public enum Isolation {
    /** Forbidden are G0, G1a, G1b and G1c; and that a read is older than what was acknowledged before its transaction began. */
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),

    /** Strong snapshot isolation: also forbidden are cycles without two read-write dependencies in a row, with real time among the dependencies. */
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),

    /** Strict serializability: any cycle is forbidden, with real time among the dependencies. */
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

    private final int level;

    Isolation(int level) {
        this.level = level;
    }

    /** A constant of java.sql.Connection. */
    public int level() {
        return level;
    }

    /** By the name that SQL or Java has for it, in any case. */
    public static Isolation of(String name) {
        for (Isolation isolation : values()) {
            if (isolation.name().equalsIgnoreCase(name.strip().replace(' ', '_').replace('-', '_'))) {
                return isolation;
            }
        }
        throw new IllegalArgumentException(
                "no isolation is called \"%s\"; there are: read-committed, repeatable-read, serializable"
                        .formatted(name));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
