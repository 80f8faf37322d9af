package io.multimed.jdbc.settings;

import java.util.Properties;

/**
 * Where a connection's sessions are opened, and for which user.
 *
 * @param properties of the connection, with the password and the timeouts
 */
public record SessionTarget(String host, int port, String database, String user, Properties properties) {}
