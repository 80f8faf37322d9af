package io.multimed.model.listen;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file with the users who may connect: one line for each, with the name, the verifier of the password, the word
 * {@code administrator} for users who may change the running system, and {@code role=} with the engine role as which
 * the user's statements run, separated by tabs. Contains no password.
 */
public record UsersFile(List<Entry> users) {
    private static final String ADMINISTRATOR = "administrator";
    private static final String ROLE = "role=";

    public UsersFile {
        users = List.copyOf(users);
    }

    /**
     * @param verifier of the password, as {@code SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey}
     * @param role null if the user's statements run as the master's user
     */
    public record Entry(
            String name,
            String verifier,
            boolean administrator,
            @Nullable String role) {
        /** @throws IllegalArgumentException if a name is empty, or contains a tab or a line break */
        public Entry {
            check(name, "a user's name");
            if (role != null) {
                check(role, "the name of a role");
            }
        }

        /** Creates a user without a role. */
        public Entry(String name, String verifier, boolean administrator) {
            this(name, verifier, administrator, null);
        }

        private static void check(String name, String what) {
            if (name.isBlank() || name.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException(what + " must not be empty, nor contain tabs or line breaks");
            }
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
        int next = 2;
        boolean administrator = fields.length > next && fields[next].equals(ADMINISTRATOR);
        next += administrator ? 1 : 0;
        String role =
                fields.length > next && fields[next].startsWith(ROLE) ? fields[next].substring(ROLE.length()) : null;
        next += role == null ? 0 : 1;
        if (fields.length != next) {
            throw new IOException(
                    where
                            + ": is not a name, a verifier, and possibly the word administrator and role=NAME, separated by tabs; use multimed user add");
        }
        if (before.stream().anyMatch(user -> user.name().equals(fields[0]))) {
            throw new IOException(where + ": the user \"" + fields[0] + "\" occurs twice");
        }
        try {
            return new Entry(fields[0], fields[1], administrator, role);
        } catch (IllegalArgumentException e) {
            throw new IOException(where + ": " + e.getMessage(), e);
        }
    }

    /** Writes the file, which only its owner can read; a reader sees either the previous or the new content. */
    public void write(Path file) throws IOException {
        StringBuilder text = new StringBuilder(
                "# Users of Multimed: name, verifier of the password, administrator, role. Written by multimed user.\n");
        for (Entry user : users) {
            text.append(user.name()).append('\t').append(user.verifier());
            text.append(user.administrator() ? "\t" + ADMINISTRATOR : "");
            text.append(user.role() == null ? "" : "\t" + ROLE + user.role()).append('\n');
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
