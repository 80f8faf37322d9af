package io.multimed.engine.mysql;

/** MariaDB. */
public final class MariaDbEngine extends MySqlEngine {
    /** Called by {@link java.util.ServiceLoader}. */
    public MariaDbEngine() {
        super("mariadb");
    }
}
