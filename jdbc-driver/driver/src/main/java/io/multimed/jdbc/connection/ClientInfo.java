package io.multimed.jdbc.connection;

import io.multimed.jdbc.support.SqlStates;
import java.sql.ClientInfoStatus;
import java.sql.SQLClientInfoException;
import java.sql.SQLWarning;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** What an application says of itself. Told back to who asks; the engine's sessions serve many clients and do not learn it. */
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

    /** Sets all properties that there are: those that are not given lose their values. */
    void setAll(Properties given, boolean closed) throws SQLClientInfoException {
        for (String name : NAMES) {
            set(name, given.getProperty(name), closed);
        }
    }

    Properties properties() {
        return properties;
    }
}
