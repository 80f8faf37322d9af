// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.yaml;

import io.multimed.model.value.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads a password from one of three places: a file, an environment variable or, for experiments, the model itself. */
public final class PasswordSource {
    private PasswordSource() {}

    /**
     * Returns the password; empty if the section names none. A password that cannot be read is reported as a problem.
     */
    public static Optional<Secret> read(YamlSection section) {
        return read(section, "");
    }

    /** @param prefix of the keys, for a section with several passwords */
    public static Optional<Secret> read(YamlSection section, String prefix) {
        String fileKey = prefix + "password-file";
        String variableKey = prefix + "password-env";
        String plainKey = prefix + "password";
        Optional<String> file = section.text(fileKey);
        Optional<String> variable = section.text(variableKey);
        Optional<String> plain = section.text(plainKey);
        checkOne(section, plainKey, fileKey, variableKey);
        if (file.isPresent()) {
            return fromFile(section, fileKey, Path.of(file.get()));
        }
        if (variable.isPresent()) {
            return fromEnvironment(section, variableKey, variable.get());
        }
        return plain.map(Secret::new);
    }

    private static void checkOne(YamlSection section, String... keys) {
        List<String> given = Stream.of(keys).filter(section::has).toList();
        if (given.size() > 1) {
            section.problem(
                    given.get(1), "%s exclude each other".formatted(String.join(" and ", given)), "keep one of them");
        }
    }

    private static Optional<Secret> fromFile(YamlSection section, String key, Path file) {
        try {
            return Optional.of(new Secret(Files.readString(file).strip()));
        } catch (IOException e) {
            section.problem(
                    key,
                    "%s cannot be read".formatted(file),
                    "name a readable file that holds the password and nothing else");
            return Optional.of(Secret.NONE);
        }
    }

    private static Optional<Secret> fromEnvironment(YamlSection section, String key, String variable) {
        String value = System.getenv(variable);
        if (value == null) {
            section.problem(
                    key,
                    "the environment variable %s is not set".formatted(variable),
                    "set the variable before the start");
            return Optional.of(Secret.NONE);
        }
        return Optional.of(new Secret(value));
    }
}
