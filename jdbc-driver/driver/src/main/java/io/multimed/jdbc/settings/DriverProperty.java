// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.settings;

import java.sql.DriverPropertyInfo;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * Lists the properties that a URL, Properties or a data source can set: one constant for each property, with its key,
 * its default value and its description.
 */
public enum DriverProperty {
    USER("user", "", "The user; the operating system's if none is given"),
    PASSWORD("password", "", "The user's password; never transmitted, unless requireAuth is password"),
    REQUIRE_AUTH(
            "requireAuth",
            "scram-sha-256",
            "How the user logs in. scram-sha-256: as a user of the middleware, with a proof of the password. password: as a role of the master (listen.pass-through), with the password itself; requires sslMode=verify-full, or verify-ca and sslRootCert"),
    CONNECT_TIMEOUT("connectTimeout", "10", "Seconds to wait for a connection and its handshake; 0 for no limit"),
    SOCKET_TIMEOUT("socketTimeout", "0", "Seconds to wait for an answer; 0 for no limit"),
    OUTCOME_TIMEOUT(
            "outcomeTimeout",
            "10",
            "Seconds to find out, when a connection is lost during a commit, whether it happened; then 08007 says that it is not known"),
    TCP_KEEP_ALIVE("tcpKeepAlive", "true", "Whether the operating system probes an idle connection"),
    SSL_MODE(
            "sslMode",
            "prefer",
            "Encryption of the connection: disable; prefer: TLS if the middleware offers it, and on the same machine only if it requires it; require: TLS with any certificate; verify-ca: with a certificate of a trusted authority; verify-full: which also belongs to the host of the URL"),
    SSL_ROOT_CERT(
            "sslRootCert",
            "",
            "File with the certificates of the trusted authorities, PEM or PKCS #12 (.p12); those that Java trusts if none is given"),
    SSL_CERT("sslCert", "", "File with the client's certificate, PEM or PKCS #12 (.p12)"),
    SSL_KEY("sslKey", "", "File with the private key of sslCert, PEM; not needed if sslCert contains the key"),
    SSL_PASSWORD("sslPassword", "", "Password of the private key or the PKCS #12 file"),
    APPLICATION_NAME("ApplicationName", "", "The application's name, returned by getClientInfo"),
    READ_ONLY("readOnly", "false", "Whether connections begin read-only"),
    DEFAULT_FETCH_SIZE(
            "defaultRowFetchSize", "0", "Fetch size of statements that set none; 0 lets the middleware choose"),
    CURRENT_SCHEMA(
            "currentSchema",
            "",
            "PostgreSQL: the initial search path of the session, as by SET search_path, which pins the session to the master"),
    STRING_TYPE(
            "stringtype",
            "varchar",
            "PostgreSQL: the type of text parameters: varchar, or unspecified for the type that the statement expects"),
    AUTOSAVE(
            "autosave",
            "never",
            "PostgreSQL: whether a statement that fails in a transaction undoes only itself, by a savepoint: always; or ends the transaction: never, conservative"),
    CLEANUP_SAVEPOINTS(
            "cleanupSavepoints",
            "false",
            "PostgreSQL: whether the savepoint of autosave=always is released before the next one is set");

    /** Names that these properties have in the engines' own drivers. */
    private static final Map<String, DriverProperty> ALIASES =
            Map.of("loginTimeout", CONNECT_TIMEOUT, "defaultFetchSize", DEFAULT_FETCH_SIZE);

    /**
     * The properties whose names may be written in any case, as the engines' own drivers accept them: a name that has
     * no effect would leave a connection without encryption.
     */
    private static final Set<DriverProperty> IN_ANY_CASE =
            EnumSet.of(SSL_MODE, SSL_ROOT_CERT, SSL_CERT, SSL_KEY, SSL_PASSWORD);

    private static final int MAX_SECONDS = Integer.MAX_VALUE / 1_000;

    public final String key;
    private final String defaultValue;
    private final String description;

    DriverProperty(String key, String defaultValue, String description) {
        this.key = key;
        this.defaultValue = defaultValue;
        this.description = description;
    }

    /** Returns whether a name is the key or an alias of one of these properties. */
    static boolean isKnown(String name) {
        return ALIASES.containsKey(name) || Arrays.stream(values()).anyMatch(property -> property.isNamed(name));
    }

    private boolean isNamed(String name) {
        return IN_ANY_CASE.contains(this) ? key.equalsIgnoreCase(name) : key.equals(name);
    }

    /** Returns the value of this property, under its key or its alias; the default value if it is not set. */
    public String value(Properties properties) {
        if (IN_ANY_CASE.contains(this)) {
            return properties.stringPropertyNames().stream()
                    .filter(this::isNamed)
                    .findFirst()
                    .map(properties::getProperty)
                    .orElse(defaultValue);
        }
        return properties.getProperty(key, alias(properties));
    }

    /** Returns the value under an alias; the default value if no alias is set. */
    private String alias(Properties properties) {
        return ALIASES.entrySet().stream()
                .filter(alias -> alias.getValue() == this && properties.getProperty(alias.getKey()) != null)
                .map(alias -> properties.getProperty(alias.getKey()))
                .findFirst()
                .orElse(defaultValue);
    }

    /**
     * Returns the value as a number.
     *
     * @throws IllegalArgumentException if the value is not a number
     */
    public int intValue(Properties properties) {
        String text = value(properties);
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("property %s: \"%s\" is not a number".formatted(key, text), e);
        }
    }

    /**
     * Returns the value of a timeout in seconds. The value is at least 0, and the same time in milliseconds fits into
     * an int.
     *
     * @throws IllegalArgumentException if the value is not a number in this range
     */
    public int seconds(Properties properties) {
        int number = intValue(properties);
        if (number < 0 || number > MAX_SECONDS) {
            throw new IllegalArgumentException(
                    "property %s: %d is not from 0 to %d".formatted(key, number, MAX_SECONDS));
        }
        return number;
    }

    /**
     * Returns the value as a boolean.
     *
     * @throws IllegalArgumentException if the value is neither true nor false
     */
    public boolean booleanValue(Properties properties) {
        String text = value(properties);
        if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
            throw new IllegalArgumentException("property %s: \"%s\" is neither true nor false".formatted(key, text));
        }
        return Boolean.parseBoolean(text);
    }

    /**
     * Returns whether text parameters have the type that the statement expects.
     *
     * @throws IllegalArgumentException if {@link #STRING_TYPE} has another value than its two
     */
    public static boolean untypedTexts(Properties properties) {
        String type = STRING_TYPE.value(properties);
        return switch (type) {
            case "varchar" -> false;
            case "unspecified" -> true;
            default ->
                throw new IllegalArgumentException(
                        "property %s: \"%s\" is neither varchar nor unspecified".formatted(STRING_TYPE.key, type));
        };
    }

    /**
     * Returns whether a statement that fails undoes only itself. An error that another execution would not report is
     * repaired by the middleware, as {@code conservative} requests.
     *
     * @throws IllegalArgumentException if {@link #AUTOSAVE} has another value than its three
     */
    public static boolean savesAlways(Properties properties) {
        String when = AUTOSAVE.value(properties);
        return switch (when.toLowerCase(Locale.ROOT)) {
            case "always" -> true;
            case "never", "conservative" -> false;
            default ->
                throw new IllegalArgumentException(
                        "property %s: \"%s\" is neither never, always nor conservative".formatted(AUTOSAVE.key, when));
        };
    }

    /**
     * Returns whether the user logs in as a role of the master, with the password itself.
     *
     * @throws IllegalArgumentException if {@link #REQUIRE_AUTH} requires what the driver does not have
     */
    public static boolean sendsPassword(Properties properties) {
        String required = REQUIRE_AUTH.value(properties);
        return switch (required.trim().toLowerCase(Locale.ROOT)) {
            case "scram-sha-256", "!password", "!md5", "!none" -> false;
            case "password" -> true;
            default ->
                throw new IllegalArgumentException("property %s: \"%s\" is neither scram-sha-256 nor password"
                        .formatted(REQUIRE_AUTH.key, required));
        };
    }

    private boolean isSecret() {
        return this == PASSWORD || this == SSL_PASSWORD;
    }

    /** Returns the description of this property for tools. The description does not contain a password. */
    public DriverPropertyInfo info(Properties properties) {
        DriverPropertyInfo info = new DriverPropertyInfo(key, isSecret() ? "" : value(properties));
        info.description = description;
        return info;
    }
}
