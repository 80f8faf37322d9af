package io.multimed.jdbc.connection;

import io.multimed.jdbc.support.SqlStates;
import java.sql.ClientInfoStatus;
import java.sql.SQLClientInfoException;
import java.sql.SQLWarning;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Holds the client info properties of a connection. The driver only returns the properties to the application and does
 * not send them to an engine, because many clients share the sessions of an engine.
 */
final class ClientInfo {
    private static final List<String> NAMES = List.of("ApplicationName");

    private final Properties properties = new Properties();

    ClientInfo(String applicationName) {
        properties.setProperty("ApplicationName", applicationName);
    }

    /**
     * Sets one property.
     *
     * @return a warning if there is no such property; otherwise null
     * @throws SQLClientInfoException if the connection is closed
     */
    @Nullable
    SQLWarning set(String name, @Nullable String value, boolean closed) throws SQLClientInfoException {
        if (closed) {
            throw new SQLClientInfoException(
                    "This connection has been closed.",
                    SqlStates.CONNECTION_CLOSED,
                    Map.of(name, ClientInfoStatus.REASON_UNKNOWN));
        }
        if (!NAMES.contains(name)) {
            return new SQLWarning("ClientInfo property not supported.", SqlStates.NOT_SUPPORTED);
        }
        if (value == null) {
            properties.remove(name);
        } else {
            properties.setProperty(name, value);
        }
        return null;
    }

    /** Sets all known properties. A property that is absent from the given properties loses its value. */
    void setAll(Properties given, boolean closed) throws SQLClientInfoException {
        for (String name : NAMES) {
            set(name, given.getProperty(name), closed);
        }
    }

    Properties properties() {
        return properties;
    }
}
