package io.multimed.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.sql.SQLException;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code jdbc:multimed://host:port/database?property=value&...}
 *
 * @param properties those of the URL over those that were given beside it
 */
record ConnectionUrl(String url, String host, int port, String database, Properties properties) {
    static final String PREFIX = "jdbc:multimed:";
    private static final int DEFAULT_PORT = 7411;
    private static final Pattern FORM =
            Pattern.compile("jdbc:multimed://(\\[[^\\]]+\\]|[^:/?]*)(?::([^/?]*))?(?:/([^?]*))?(?:\\?(.*))?");

    /**
     * Reads a URL that begins with {@link #PREFIX}.
     *
     * @throws SQLException 08001, naming the part that is wrong
     */
    static ConnectionUrl parse(String url, Properties given) throws SQLException {
        Matcher matcher = FORM.matcher(url);
        if (!matcher.matches()) {
            throw wrong("is not of the form jdbc:multimed://host:port/database?property=value");
        }
        Properties properties = new Properties();
        given.stringPropertyNames().forEach(key -> properties.setProperty(key, given.getProperty(key)));
        readProperties(matcher.group(4), properties);
        String host =
                matcher.group(1).isEmpty() ? "127.0.0.1" : matcher.group(1).replaceAll("[\\[\\]]", "");
        @Nullable String database = matcher.group(3);
        if (database == null || database.isEmpty()) {
            throw wrong("names no database: jdbc:multimed://host:port/database");
        }
        return new ConnectionUrl(strip(url), host, port(matcher.group(2)), decode(database), properties);
    }

    private static void readProperties(@Nullable String text, Properties properties) {
        if (text == null) {
            return;
        }
        for (String pair : text.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                properties.setProperty(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
            }
        }
    }

    private static int port(@Nullable String text) throws SQLException {
        if (text == null) {
            return DEFAULT_PORT;
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

    private static String decode(String text) {
        return URLDecoder.decode(text, UTF_8);
    }

    private static SQLException wrong(String what) {
        return new SQLException("the URL " + what, SqlStates.CANNOT_CONNECT);
    }
}
