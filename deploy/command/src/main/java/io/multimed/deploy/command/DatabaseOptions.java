// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.tpcw.run.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name databases: URL, user, and a password that does not appear in the list of processes. */
public final class DatabaseOptions {
    /** The URL of a middleware on this machine with the default port and database. */
    static final String DEFAULT_URL = "jdbc:multimed://127.0.0.1:7411/multimed";

    @Option(
            names = "--url",
            description =
                    "A JDBC URL, jdbc:multimed: or that of an engine's own driver; tpcw compare and bench accept several. Default: "
                            + DEFAULT_URL)
    private List<String> urls = new ArrayList<>();

    @Option(names = "--user", description = "The user, if the URL names none.")
    private String user = "";

    @Option(
            names = "--password-file",
            description = "A file with the password; otherwise MULTIMED_PASSWORD is used, if set.")
    private @Nullable Path passwordFile;

    /** Returns whether the user named a URL. */
    boolean isNamed() {
        return !urls.isEmpty();
    }

    /**
     * Returns the databases that the user named or, without any, the default one.
     *
     * @throws IllegalArgumentException if a URL is invalid
     */
    List<Target> targets() throws IOException {
        List<Target> targets = new ArrayList<>();
        for (String url : urls.isEmpty() ? List.of(DEFAULT_URL) : urls) {
            targets.add(target(url, targets.size() + 1));
        }
        return targets;
    }

    /**
     * Returns the only database.
     *
     * @throws IllegalArgumentException if the user named several
     */
    public Target single() throws IOException {
        List<Target> targets = targets();
        if (targets.size() != 1) {
            throw new IllegalArgumentException(
                    "this command accepts exactly one --url; tpcw compare and bench accept several");
        }
        return targets.get(0);
    }

    /** Returns a database with a name for reports. The number distinguishes several databases. */
    private Target target(String url, int number) throws IOException {
        if (!url.startsWith("jdbc:")) {
            throw new IllegalArgumentException("--url %s: write a JDBC URL, for example %s"
                    .formatted(url.isEmpty() ? "is empty" : '"' + url + "\" is not a JDBC URL", DEFAULT_URL));
        }
        checkDriver(url);
        boolean multimed = url.startsWith("jdbc:multimed:");
        String name = (multimed ? "Multimed" : "plain") + (urls.size() > 1 ? " " + number : "");
        return new Target(name, url, user, password());
    }

    /** Checks that a driver accepts the URL. The message omits the URL, because the URL may contain a password. */
    private static void checkDriver(String url) {
        try {
            DriverManager.getDriver(url);
        } catch (SQLException e) {
            throw new IllegalArgumentException(
                    "--url: no driver here accepts a URL that begins with %s; an example is %s"
                            .formatted(url.replaceFirst("(?s)^(jdbc:[^:/?@]*:?).*", "$1"), DEFAULT_URL),
                    e);
        }
    }

    /** Returns the content of the password file or, without the option, MULTIMED_PASSWORD; empty if neither is set. */
    private String password() throws IOException {
        if (passwordFile != null) {
            return Files.readString(passwordFile).strip();
        }
        String variable = System.getenv("MULTIMED_PASSWORD");
        return variable == null ? "" : variable;
    }
}
