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
        Optional<String> file = section.text("password-file");
        Optional<String> variable = section.text("password-env");
        Optional<String> plain = section.text("password");
        checkOne(section);
        if (file.isPresent()) {
            return fromFile(section, Path.of(file.get()));
        }
        if (variable.isPresent()) {
            return fromEnvironment(section, variable.get());
        }
        return plain.map(Secret::new);
    }

    private static void checkOne(YamlSection section) {
        List<String> given = Stream.of("password", "password-file", "password-env")
                .filter(section::has)
                .toList();
        if (given.size() > 1) {
            section.problem(
                    given.get(1), "%s exclude each other".formatted(String.join(" and ", given)), "keep one of them");
        }
    }

    private static Optional<Secret> fromFile(YamlSection section, Path file) {
        try {
            return Optional.of(new Secret(Files.readString(file).strip()));
        } catch (IOException e) {
            section.problem(
                    "password-file",
                    "%s cannot be read".formatted(file),
                    "name a readable file that holds the password and nothing else");
            return Optional.of(Secret.NONE);
        }
    }

    private static Optional<Secret> fromEnvironment(YamlSection section, String variable) {
        String value = System.getenv(variable);
        if (value == null) {
            section.problem(
                    "password-env",
                    "the environment variable %s is not set".formatted(variable),
                    "set the variable before the start");
            return Optional.of(Secret.NONE);
        }
        return Optional.of(new Secret(value));
    }
}
