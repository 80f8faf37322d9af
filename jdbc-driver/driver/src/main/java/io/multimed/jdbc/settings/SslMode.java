// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.settings;

import java.util.Arrays;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * Values of the property {@link DriverProperty#SSL_MODE}. Accepts the values of all engines' own drivers, in upper and
 * lower case.
 */
public enum SslMode {
    /** No TLS. */
    DISABLE,
    /** TLS if the middleware offers it; on the same machine, only if the middleware requires it. */
    PREFER,
    /** TLS, with any certificate. */
    REQUIRE,
    /** TLS, with a certificate of a trusted authority. */
    VERIFY_CA,
    /** The same, and the certificate belongs to the host of the URL. */
    VERIFY_FULL;

    /**
     * Returns the mode that the properties name.
     *
     * @throws IllegalArgumentException if there is no such mode
     */
    public static SslMode of(Properties properties) {
        String text = DriverProperty.SSL_MODE.value(properties);
        return switch (text.toLowerCase(Locale.ROOT).replace('_', '-')) {
            case "disable", "disabled" -> DISABLE;
            case "allow", "prefer", "preferred" -> PREFER;
            case "require", "required", "trust" -> REQUIRE;
            case "verify-ca" -> VERIFY_CA;
            case "verify-full", "verify-identity" -> VERIFY_FULL;
            default ->
                throw new IllegalArgumentException("property %s: \"%s\" is none of %s"
                        .formatted(
                                DriverProperty.SSL_MODE.key,
                                text,
                                Arrays.stream(values()).map(SslMode::text).collect(Collectors.joining(", "))));
        };
    }

    /** Returns the value as it is written. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns whether the certificate proves that the other side is the middleware. The authorities that Java trusts
     * issue certificates to others, too, so that these prove it together with the host only.
     */
    public boolean provesPeer(Properties properties) {
        return this == VERIFY_FULL
                || (this == VERIFY_CA
                        && !DriverProperty.SSL_ROOT_CERT.value(properties).isEmpty());
    }

    /** Returns whether the middleware's certificate is verified. */
    public boolean verifies() {
        return this == VERIFY_CA || this == VERIFY_FULL;
    }
}
