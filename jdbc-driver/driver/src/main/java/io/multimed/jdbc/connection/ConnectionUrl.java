// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
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
 * A URL of the form {@code jdbc:multimed://host:port/database?property=value&...}, or {@code
 * jdbc:multimed:ENGINE://...} with one of {@link Engines#URL_NAMES}, for tools that derive the engine from the URL, or
 * {@code jdbc:ENGINE:multimed://...}, for tools that expect the engine's name at the beginning. The engine's own driver
 * may accept the last form, too.
 *
 * <p>A URL of the form {@code jdbc:multimed:embedded:FILE?property=value&...} names a System Model, whose dispatcher
 * runs within the application.
 *
 * @param url without the query, which may contain a password
 * @param engine the engine's name in the URL, in lower case; empty if the URL contains none
 * @param model the file of the System Model; empty if the URL names host and port
 * @param database empty until the model was read
 * @param properties those of the URL, which override those given separately
 */
public record ConnectionUrl(
        String url, String engine, String model, String host, int port, String database, Properties properties) {
    private static final String WORDS = String.join("|", Engines.URL_NAMES);
    private static final String BEGIN = "jdbc:(?:(?<before>" + WORDS + "):)?multimed:";
    private static final Pattern PREFIX = Pattern.compile(BEGIN + ".*", Pattern.DOTALL);
    public static final int DEFAULT_PORT = 7411;
    private static final Pattern FORM = Pattern.compile(BEGIN + "(?:(?<after>" + WORDS
            + "):)?//(?<host>\\[[^\\]]+\\]|[^:/?]*)(?::(?<port>[^/?]*))?(?:/(?<database>[^?]*))?(?:\\?(?<query>.*))?");

    private static final Pattern EMBEDDED =
            Pattern.compile("jdbc:multimed:embedded:(?<model>[^?]*)(?:\\?(?<query>.*))?");

    /** Returns the URL of the dispatcher of a System Model within this process. */
    public static String ofModel(String file) {
        return "jdbc:multimed:embedded:"
                + file.replace("%", "%25").replace("?", "%3F").replace("+", "%2B");
    }

    /** Returns whether a URL has one of the formats of this driver. */
    public static boolean accepts(@Nullable String url) {
        return url != null && PREFIX.matcher(url).matches();
    }

    /**
     * Parses a URL that {@link #accepts} has accepted.
     *
     * @throws SQLException 08001, with the part that is wrong
     */
    public static ConnectionUrl parse(String url, Properties given) throws SQLException {
        Matcher embedded = EMBEDDED.matcher(url);
        if (embedded.matches()) {
            return embedded(url, embedded, given);
        }
        Matcher matcher = FORM.matcher(url);
        if (!matcher.matches()) {
            throw invalid(
                    "is not of the form jdbc:multimed://host:port/database?property=value (or jdbc:multimed:%s://...)"
                            .formatted(String.join("://... or jdbc:multimed:", Engines.URL_NAMES)));
        }
        Properties properties = properties(given, matcher.group("query"));
        String host = matcher.group("host").isEmpty()
                ? "127.0.0.1"
                : matcher.group("host").replaceAll("[\\[\\]]", "");
        @Nullable String database = matcher.group("database");
        if (database == null || database.isEmpty()) {
            throw invalid("names no database: jdbc:multimed://host:port/database");
        }
        return new ConnectionUrl(
                withoutQuery(url),
                engine(matcher.group("before"), matcher.group("after")),
                "",
                host,
                port(matcher.group("port")),
                decode(database, "the database"),
                properties);
    }

    private static ConnectionUrl embedded(String url, Matcher matcher, Properties given) throws SQLException {
        String model = decode(matcher.group("model"), "the file of the System Model");
        return new ConnectionUrl(withoutQuery(url), "", model, "", 0, "", properties(given, matcher.group("query")));
    }

    private static Properties properties(Properties given, @Nullable String query) throws SQLException {
        Properties properties = new Properties();
        given.stringPropertyNames().forEach(key -> properties.setProperty(key, given.getProperty(key)));
        readProperties(query, properties);
        return properties;
    }

    /** Returns whether the URL names a System Model, whose dispatcher runs within the application. */
    public boolean isEmbedded() {
        return host.isEmpty();
    }

    /** Returns the same URL with the database of its model. */
    public ConnectionUrl withDatabase(String name) {
        return new ConnectionUrl(url, engine, model, host, port, name, properties);
    }

    /**
     * Returns the engine that the URL names, before or after {@code multimed} or in both places; empty if the URL names
     * no engine.
     */
    private static String engine(@Nullable String before, @Nullable String after) throws SQLException {
        if (before != null && after != null && !before.equals(after)) {
            throw invalid("names two engines: %s and %s".formatted(before, after));
        }
        return before != null ? before : Objects.toString(after, "");
    }

    /** Returns the address, the database and the properties for the sessions of a user. */
    public SessionTarget target(String user) {
        return new SessionTarget(model, host, port, database, user, properties);
    }

    /** Adds the properties of the query. A property of the query overrides a given property. */
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

    /**
     * Returns the port, or the default if the URL contains no port. Explains two common mistakes: a user before the
     * host, and several hosts.
     */
    private static int port(@Nullable String text) throws SQLException {
        if (text == null) {
            return DEFAULT_PORT;
        }
        if (text.contains("@")) { // Does not quote the text, which contains a password.
            throw invalid(
                    "names a user before the host: write ?user=...&password=... at the end, or pass them separately");
        }
        if (text.contains(",")) {
            throw invalid("names several hosts: Multimed has one address, that of the middleware, for all its nodes");
        }
        if (!text.matches("[0-9]{1,5}") || Integer.parseInt(text) > 65_535 || Integer.parseInt(text) == 0) {
            throw invalid("has \"%s\" for a port: 1 to 65535".formatted(text));
        }
        return Integer.parseInt(text);
    }

    /** Returns the URL without its query, for messages and metadata: the query may contain a password. */
    private static String withoutQuery(String url) {
        int query = url.indexOf('?');
        return query < 0 ? url : url.substring(0, query);
    }

    /**
     * Decodes a part of the URL.
     *
     * @param what names the part in the message, which does not quote the part, because the part may be a password
     */
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

    /**
     * Returns the exception for a wrong URL.
     *
     * @param what the mistake, which follows "the URL"; must not contain a password
     */
    private static SQLException invalid(String what) {
        return new SQLException("the URL " + what, SqlStates.CANNOT_CONNECT);
    }
}
