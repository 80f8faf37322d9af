// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.model.listen.UserLimits;
import io.multimed.model.listen.UsersFile;
import io.multimed.protocol.Scram;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Manages a file of users (listen.users-file). A running middleware reads the changed file within seconds. */
@Command(
        name = "user",
        description = {
            "Add, list and remove the users in a file (listen.users-file of the System Model).",
            "A running middleware reads a changed file within seconds."
        },
        footer = {"  multimed user add --file users --administrator operator", "  multimed user list --file users"},
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class UserCommand {
    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public UserCommand() {}

    @Command(
            name = "add",
            description =
                    "Add a user, or change a user's password. The password comes from --password-file, from MULTIMED_PASSWORD, or from the terminal. The file contains no password.",
            footer = {
                "  multimed user add --file users shop",
                "  multimed user add --file users --administrator --password-file secret operator"
            },
            mixinStandardHelpOptions = true)
    int add(
            @Option(names = "--file", description = "The file of users; created if it does not exist.", required = true)
                    Path file,
            @Option(names = "--administrator", description = "The user may change and check the running system.")
                    boolean administrator,
            @Option(
                            names = "--role",
                            description =
                                    "The engine's role as which the user's statements run, and whose privileges apply. Default: a role with the user's name; for administrators, for external masters, and where the engine has no roles, the user of the master in the System Model, who has all rights. Multimed creates a role that does not exist, without privileges.")
                    @Nullable
                    String role,
            @Option(
                            names = "--max-clients",
                            description =
                                    "Maximum number of connected clients of the user; 0 for no limit. Default: listen.limits.clients-per-user of the System Model.")
                    @Nullable
                    Integer maxClients,
            @Option(
                            names = "--max-statements",
                            description =
                                    "Maximum number of statements of the user that run at the same time; 0 for no limit. Default: listen.limits.statements-per-user of the System Model.")
                    @Nullable
                    Integer maxStatements,
            @Option(names = "--password-file", description = "A file with the password and nothing else.") @Nullable
                    Path passwordFile,
            @Parameters(paramLabel = "NAME", description = "The user's name.") String name)
            throws IOException {
        List<UsersFile.Entry> users = new ArrayList<>(read(file));
        boolean known = users.removeIf(user -> user.name().equals(name));
        UserLimits limits =
                new UserLimits(limit("--max-clients", maxClients), limit("--max-statements", maxStatements));
        char[] password = password(passwordFile);
        if (password.length == 0) {
            throw new IllegalArgumentException("the password is empty: every client could connect as " + name);
        }
        users.add(new UsersFile.Entry(name, Scram.verifier(password).toText(), administrator, role, limits));
        Arrays.fill(password, ' ');
        new UsersFile(users).write(file);
        out().printf("%s %s%n", known ? "changed" : "added", name);
        return 0;
    }

    @Command(
            name = "list",
            description = "List the users in a file.",
            footer = "  multimed user list --file users",
            mixinStandardHelpOptions = true)
    int list(@Option(names = "--file", description = "The file of users.", required = true) Path file)
            throws IOException {
        UsersFile.read(file).users().forEach(user -> out().println(user.name() + properties(user)));
        return 0;
    }

    private static String properties(UsersFile.Entry user) {
        List<String> properties = new ArrayList<>();
        if (user.administrator()) {
            properties.add("administrator");
        }
        if (user.role() != null) {
            properties.add("role " + user.role());
        }
        user.limits().clients().ifPresent(limit -> properties.add(described(limit, "clients")));
        user.limits().statements().ifPresent(limit -> properties.add(described(limit, "statements")));
        return properties.isEmpty() ? "" : " (" + String.join(", ", properties) + ")";
    }

    private static String described(int limit, String what) {
        return limit == 0 ? "any number of " + what : "at most %d %s".formatted(limit, what);
    }

    private static OptionalInt limit(String option, @Nullable Integer limit) {
        if (limit == null) {
            return OptionalInt.empty();
        }
        if (limit < 0 || limit > UserLimits.MAX) {
            throw new IllegalArgumentException(
                    "%s=%d is not a number from 0 to %d".formatted(option, limit, UserLimits.MAX));
        }
        return OptionalInt.of(limit);
    }

    @Command(
            name = "remove",
            description = "Remove a user, whose clients are disconnected.",
            footer = "  multimed user remove --file users shop",
            mixinStandardHelpOptions = true)
    int remove(
            @Option(names = "--file", description = "The file of users.", required = true) Path file,
            @Parameters(paramLabel = "NAME", description = "The user's name.") String name)
            throws IOException {
        List<UsersFile.Entry> users = new ArrayList<>(UsersFile.read(file).users());
        if (!users.removeIf(user -> user.name().equals(name))) {
            throw new IllegalArgumentException("%s has no user \"%s\"".formatted(file, name));
        }
        new UsersFile(users).write(file);
        out().printf("removed %s%n", name);
        return 0;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private static List<UsersFile.Entry> read(Path file) throws IOException {
        return Files.exists(file) ? UsersFile.read(file).users() : List.of();
    }

    private static char[] password(@Nullable Path file) throws IOException {
        if (file != null) {
            return Files.readString(file).strip().toCharArray();
        }
        Optional<String> variable = Optional.ofNullable(System.getenv("MULTIMED_PASSWORD"));
        if (variable.isPresent()) {
            return variable.get().toCharArray();
        }
        return typed(System.console());
    }

    /**
     * Reads the password twice.
     *
     * @param console null without a terminal until Java 21; from Java 22 on a console without input instead
     */
    private static char[] typed(@Nullable Console console) {
        char @Nullable [] first = console == null ? null : console.readPassword("Password: ");
        if (console == null || first == null) {
            throw new IllegalArgumentException(
                    "there is no terminal to read the password from: use --password-file or MULTIMED_PASSWORD");
        }
        if (!Arrays.equals(first, console.readPassword("Again: "))) {
            throw new IllegalArgumentException("the passwords differ");
        }
        return first;
    }
}
