// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.log;

import java.util.Locale;
import java.util.Optional;

/** The form of the log, which the environment variable {@value #VARIABLE} names. */
public enum LogFormat {
    /** A line of text for each event, with the message of an exception, but without stack traces. */
    TEXT,
    /** A JSON object in a line of its own for each event, with the stack trace of an exception. */
    JSON;

    public static final String VARIABLE = "MULTIMED_LOG_FORMAT";

    /** Returns the format with a name; empty if there is none. */
    public static Optional<LogFormat> of(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "text" -> Optional.of(TEXT);
            case "json" -> Optional.of(JSON);
            default -> Optional.empty();
        };
    }
}
