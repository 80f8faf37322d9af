// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.listen;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A file with the users who may connect: one line for each, with the name, the verifier of the password, and then the
 * word {@code administrator} for users who may change the running system, {@code role=} with the engine role as which
 * the user's statements run, and the user's own limits ({@code max-clients=5}, {@code max-statements=10}), separated by
 * tabs. Contains no password.
 */
public record UsersFile(List<Entry> users) {
    private static final String ADMINISTRATOR = "administrator";
    private static final String ROLE = "role=";
    private static final String CLIENTS = "max-clients=";
    private static final String STATEMENTS = "max-statements=";

    public UsersFile {
        users = List.copyOf(users);
    }

    /**
     * @param verifier of the password, as {@code SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey}
     * @param role null if the user's statements run as the master's user, or as a role with the user's name
     * @param limits of the user's own
     */
    public record Entry(
            String name,
            String verifier,
            boolean administrator,
            @Nullable String role,
            UserLimits limits) {
        /** @throws IllegalArgumentException if a name is empty, or contains a tab or a line break */
        public Entry {
            check(name, "a user's name");
            if (role != null) {
                check(role, "the name of a role");
            }
        }

        private static void check(String name, String what) {
            if (name.isBlank() || name.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException(what + " must not be empty, nor contain tabs or line breaks");
            }
        }

        /** Creates a user without a role and without limits of its own. */
        public Entry(String name, String verifier, boolean administrator) {
            this(name, verifier, administrator, null, UserLimits.NONE);
        }
    }

    /**
     * Reads a file.
     *
     * @throws IOException if the file cannot be read, or if a line is wrong; the message names file and line
     */
    public static UsersFile read(Path file) throws IOException {
        List<Entry> users = new ArrayList<>();
        List<String> lines = Files.readAllLines(file, UTF_8);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (!line.isBlank() && !line.startsWith("#")) {
                users.add(entry(line, users, file + ":" + (i + 1)));
            }
        }
        return new UsersFile(users);
    }

    private static Entry entry(String line, List<Entry> before, String where) throws IOException {
        String[] fields = line.split("\t", -1);
        if (fields.length < 2) {
            throw new IOException(where + ": is not a name and a verifier, separated by a tab; use multimed user add");
        }
        if (before.stream().anyMatch(user -> user.name().equals(fields[0]))) {
            throw new IOException(where + ": the user \"" + fields[0] + "\" occurs twice");
        }
        try {
            return entry(fields);
        } catch (IllegalArgumentException e) {
            throw new IOException(where + ": " + e.getMessage(), e);
        }
    }

    private static Entry entry(String[] fields) {
        boolean administrator = false;
        String role = null;
        OptionalInt clients = OptionalInt.empty();
        OptionalInt statements = OptionalInt.empty();
        for (String property : List.of(fields).subList(2, fields.length)) {
            if (property.equals(ADMINISTRATOR) && !administrator) {
                administrator = true;
            } else if (property.startsWith(ROLE) && role == null) {
                role = property.substring(ROLE.length());
            } else if (property.startsWith(CLIENTS) && clients.isEmpty()) {
                clients = limit(property, CLIENTS);
            } else if (property.startsWith(STATEMENTS) && statements.isEmpty()) {
                statements = limit(property, STATEMENTS);
            } else {
                throw new IllegalArgumentException(
                        "\"%s\" is not administrator, role=NAME, max-clients=NUMBER or max-statements=NUMBER, once each; use multimed user add"
                                .formatted(property));
            }
        }
        return new Entry(fields[0], fields[1], administrator, role, new UserLimits(clients, statements));
    }

    private static OptionalInt limit(String property, String key) {
        String number = property.substring(key.length());
        if (!number.matches("[0-9]{1,7}") || Integer.parseInt(number) > UserLimits.MAX) {
            throw new IllegalArgumentException(
                    "\"%s\" has no number from 0 to %d; use multimed user add".formatted(property, UserLimits.MAX));
        }
        return OptionalInt.of(Integer.parseInt(number));
    }

    /** Writes the file, which only its owner can read; a reader sees either the previous or the new content. */
    public void write(Path file) throws IOException {
        StringBuilder text = new StringBuilder(
                "# Users of Multimed: name, verifier of the password, administrator, role, limits. Written by multimed user.\n");
        for (Entry user : users) {
            text.append(user.name()).append('\t').append(user.verifier());
            text.append(user.administrator() ? "\t" + ADMINISTRATOR : "");
            text.append(user.role() == null ? "" : "\t" + ROLE + user.role());
            user.limits()
                    .clients()
                    .ifPresent(limit -> text.append('\t').append(CLIENTS).append(limit));
            user.limits()
                    .statements()
                    .ifPresent(limit -> text.append('\t').append(STATEMENTS).append(limit));
            text.append('\n');
        }
        Path folder = file.toAbsolutePath().getParent();
        Path written = Files.createTempFile(
                folder,
                ".users",
                "",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            Files.writeString(written, text.toString(), UTF_8);
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(written);
        }
    }
}
