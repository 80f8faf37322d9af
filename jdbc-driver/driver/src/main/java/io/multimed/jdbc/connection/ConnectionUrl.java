package io.multimed.jdbc.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.jdbc.settings.SessionTarget;
import io.multimed.jdbc.support.SqlStates;
import java.net.URLDecoder;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code jdbc:multimed://host:port/database?property=value&...}, or {@code jdbc:multimed:ENGINE://...} with one of
 * {@link Engines#WORDS}, for tools that derive the engine from the URL, or {@code jdbc:ENGINE:multimed://...} for tools
 * that look for the engine's name at the beginning. The engine's own driver may accept the last format.
 *
 * @param engine the engine's name in the URL, in lower case; empty if the URL contains none
 * @param properties those of the URL, which override those given separately
 */
public record ConnectionUrl(String url, String engine, String host, int port, String database, Properties properties) {
    private static final String WORDS = String.join("|", Engines.WORDS);
    private static final String BEGIN = "jdbc:(?:(?<before>" + WORDS + "):)?multimed:";
    private static final Pattern PREFIX = Pattern.compile(BEGIN + ".*", Pattern.DOTALL);
    public static final int DEFAULT_PORT = 7411;
    private static final Pattern FORM = Pattern.compile(BEGIN + "(?:(?<after>" + WORDS
            + "):)?//(?<host>\\[[^\\]]+\\]|[^:/?]*)(?::(?<port>[^/?]*))?(?:/(?<database>[^?]*))?(?:\\?(?<query>.*))?");

    /** Whether a URL is for this driver. */
    public static boolean isOurs(@Nullable String url) {
        return url != null && PREFIX.matcher(url).matches();
    }

    /**
     * Reads a URL that {@link #isOurs}.
     *
     * @throws SQLException 08001, naming the part that is wrong
     */
    public static ConnectionUrl parse(String url, Properties given) throws SQLException {
        Matcher matcher = FORM.matcher(url);
        if (!matcher.matches()) {
            throw wrong(
                    "is not of the form jdbc:multimed://host:port/database?property=value (or jdbc:multimed:%s://...)"
                            .formatted(String.join("://... or jdbc:multimed:", Engines.WORDS)));
        }
        Properties properties = new Properties();
        given.stringPropertyNames().forEach(key -> properties.setProperty(key, given.getProperty(key)));
        readProperties(matcher.group("query"), properties);
        String host = matcher.group("host").isEmpty()
                ? "127.0.0.1"
                : matcher.group("host").replaceAll("[\\[\\]]", "");
        @Nullable String database = matcher.group("database");
        if (database == null || database.isEmpty()) {
            throw wrong("names no database: jdbc:multimed://host:port/database");
        }
        return new ConnectionUrl(
                strip(url),
                engine(matcher.group("before"), matcher.group("after")),
                host,
                port(matcher.group("port")),
                decode(database, "the database"),
                properties);
    }

    /** Returns the engine that the URL names, once or twice; empty if it names none. */
    private static String engine(@Nullable String before, @Nullable String after) throws SQLException {
        if (before != null && after != null && !before.equals(after)) {
            throw wrong("names two engines: %s and %s".formatted(before, after));
        }
        return before != null ? before : Objects.toString(after, "");
    }

    /** Returns where sessions for a user are opened. */
    public SessionTarget target(String user) {
        return new SessionTarget(host, port, database, user, properties);
    }

    private static void readProperties(@Nullable String text, Properties properties) throws SQLException {
        if (text == null) {
            return;
        }
        for (String pair : text.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = decode(equals < 0 ? pair : pair.substring(0, equals), "the name of a property");
            if (!name.isEmpty()) {
                String value = equals < 0 ? "" : pair.substring(equals + 1);
                properties.setProperty(name, decode(value, "the value of the property " + name));
            }
        }
    }

    private static int port(@Nullable String text) throws SQLException {
        if (text == null) {
            return DEFAULT_PORT;
        }
        if (text.contains("@")) { // does not quote the text, because it contains a password
            throw wrong(
                    "names a user before the host: write ?user=...&password=... at the end, or pass them separately");
        }
        if (text.contains(",")) {
            throw wrong("names several hosts: Multimed has one address, that of the middleware, for all its nodes");
        }
        if (!text.matches("[0-9]{1,5}") || Integer.parseInt(text) > 65_535 || Integer.parseInt(text) == 0) {
            throw wrong("has \"%s\" for a port: 1 to 65535".formatted(text));
        }
        return Integer.parseInt(text);
    }

    /** For messages and metadata: without what might hold a password. */
    private static String strip(String url) {
        int query = url.indexOf('?');
        return query < 0 ? url : url.substring(0, query);
    }

    /** @param what names the text in the message, which does not quote it, because it may be a password */
    private static String decode(String text, String what) throws SQLException {
        try {
            return URLDecoder.decode(text, UTF_8);
        } catch (IllegalArgumentException e) {
            throw new SQLException(
                    "the URL has a %% without two hexadecimal digits in %s: write %%25 for the character %%"
                            .formatted(what),
                    SqlStates.CANNOT_CONNECT,
                    e);
        }
    }

    private static SQLException wrong(String what) {
        return new SQLException("the URL " + what, SqlStates.CANNOT_CONNECT);
    }
}
