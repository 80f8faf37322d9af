// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.observation;

import io.multimed.model.value.Durations;
import io.multimed.model.yaml.YamlSection;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the middleware records about statements and logins.
 *
 * @param slowStatements a statement that takes at least this time is recorded; zero: none is
 * @param writesSlowStatements whether the log contains a line for each slow statement
 * @param auditFile the file for logins and administrative statements; null: these events are part of the log
 */
public record LogSettings(
        Duration slowStatements,
        boolean writesSlowStatements,
        @Nullable Path auditFile) {
    public static final LogSettings DEFAULT = new LogSettings(Duration.ofSeconds(1), false, null);

    public static LogSettings read(YamlSection section) {
        LogSettings settings = new LogSettings(
                section.value("slow-statements", DEFAULT.slowStatements, Durations::parse),
                section.has("slow-statements"),
                section.text("audit-file").map(Path::of).orElse(null));
        section.finish();
        return settings;
    }
}
