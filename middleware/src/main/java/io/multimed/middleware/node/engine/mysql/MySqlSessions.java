package io.multimed.middleware.node.engine.mysql;

/** What an engine's session holds. */
final class MySqlSessions {
    /** Begins the name of a lock among the settings that a statement may leave behind. */
    static final String LOCK = "lock ";

    private MySqlSessions() {}
}
