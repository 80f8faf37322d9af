// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.deploy.terminal.Progress;
import io.multimed.model.SystemModel;
import io.multimed.tpcw.run.Target;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Adds, drains, resumes, removes and reseeds satellites of a running middleware, by ALTER MULTIMED SATELLITE over an
 * ordinary connection. Stores added satellites in the state folder of {@code multimed up}, and leaves the file of the
 * model unchanged.
 */
@Command(
        name = "satellite",
        description = {
            "Add, drain, resume, remove or reseed a satellite of a running middleware.",
            "Requires an administrator if the model defines users. Does not change the model's file: the next multimed up starts an added satellite again"
                    + " if it uses the same state folder, until the satellite is removed."
        },
        footer = {
            "  multimed satellite add --model deploy/models/quickstart.yaml satellite-2",
            "  multimed satellite drain satellite-1",
            "  multimed satellite resume satellite-1"
        },
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "(add | drain | resume | remove | reseed)")
public final class SatelliteCommand {
    private static final String NAME = "The satellite's name.";

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public SatelliteCommand() {}

    /**
     * Sends the definition from the model's file to the middleware, which starts the engine, and waits until the
     * satellite is online.
     *
     * @throws java.util.concurrent.TimeoutException if this takes longer than {@code --wait}; the satellite is added
     *     nevertheless
     */
    @Command(
            name = "add",
            description =
                    "Start a satellite: start its engine, copy the master during operation, and then send reads to it.",
            footer = "  multimed satellite add --model deploy/models/quickstart.yaml satellite-2",
            mixinStandardHelpOptions = true)
    int add(
            @Mixin DatabaseOptions database,
            @Option(names = "--model", description = "A System Model that defines the satellite.", required = true)
                    Path model,
            @Option(
                            names = "--wait",
                            description = "Seconds to wait until the satellite is online. Default: ${DEFAULT-VALUE}",
                            defaultValue = "3600")
                    int seconds,
            @Parameters(description = NAME) String name)
            throws Exception {
        String definition = SystemModel.nodeText(model, name);
        Target target = database.single();
        Progress progress = progress();
        progress.say("starting " + name);
        alter(target, name, "ADD '" + definition.replace("'", "''") + "'");
        new SatelliteProgress(target, name, progress).awaitServing(seconds);
        progress.say(
                "%s is online; the next multimed up with the same state folder starts it again, until multimed satellite remove %s"
                        .formatted(name, name));
        return 0;
    }

    /** Takes a satellite out of service for new reads, for example before maintenance of its machine. */
    @Command(
            name = "drain",
            description =
                    "Send no new reads to a satellite, and wait for running transactions. The satellite continues to apply WriteSets.",
            footer = {"  multimed satellite drain satellite-1", "  multimed satellite drain --wait 300 satellite-1"},
            mixinStandardHelpOptions = true)
    int drain(@Mixin DatabaseOptions database, @Mixin WaitOptions wait, @Parameters(description = NAME) String name)
            throws Exception {
        close(database.single(), name, "DRAIN", wait);
        progress().say("%s is drained; multimed satellite resume %s brings it back".formatted(name, name));
        return 0;
    }

    /** Returns as soon as the middleware has accepted the statement. */
    @Command(
            name = "resume",
            description = "Send reads to a drained satellite again.",
            footer = "  multimed satellite resume satellite-1",
            mixinStandardHelpOptions = true)
    int resume(@Mixin DatabaseOptions database, @Parameters(description = NAME) String name) throws Exception {
        alter(database.single(), name, "RESUME");
        progress().say(name + " serves");
        return 0;
    }

    /**
     * Drains the satellite first. The middleware also deletes the stored definition of a satellite that was added at
     * run time.
     */
    @Command(
            name = "remove",
            description = "Drain a satellite, stop its engine, and free its memory.",
            footer = {
                "  multimed satellite remove satellite-2",
                "  multimed satellite remove --wait 10 --force satellite-2"
            },
            mixinStandardHelpOptions = true)
    int remove(@Mixin DatabaseOptions database, @Mixin WaitOptions wait, @Parameters(description = NAME) String name)
            throws Exception {
        close(database.single(), name, "REMOVE", wait);
        progress()
                .say(
                        "%s is removed; if the model of multimed up defines it, remove it there, too, or the next start starts it again"
                                .formatted(name));
        return 0;
    }

    /** Copies the master again, for example after a difference that {@link VerifyCommand} has found. */
    @Command(
            name = "reseed",
            description = "Drain a satellite, copy the master again, and bring the satellite online.",
            footer = "  multimed satellite reseed satellite-1",
            mixinStandardHelpOptions = true)
    int reseed(
            @Mixin DatabaseOptions database,
            @Mixin WaitOptions wait,
            @Option(
                            names = "--copy-wait",
                            description =
                                    "Seconds to wait until the satellite is online again. Default: ${DEFAULT-VALUE}",
                            defaultValue = "3600")
                    int seconds,
            @Parameters(description = NAME) String name)
            throws Exception {
        Target target = database.single();
        close(target, name, "RESEED", wait);
        new SatelliteProgress(target, name, progress()).awaitServing(seconds);
        progress().say(name + " is a new copy and serves");
        return 0;
    }

    /**
     * Runs a statement that waits for transactions, and displays the number of running ones over another connection
     * meanwhile.
     */
    private void close(Target target, String name, String verb, WaitOptions wait) throws Exception {
        try (SatelliteProgress shown = new SatelliteProgress(target, name, progress())) {
            shown.watchTransactions();
            alter(target, name, verb + wait.asSql());
        }
    }

    /**
     * Runs ALTER MULTIMED SATELLITE over a connection of its own. Escape processing is off, because a definition in
     * YAML may contain braces.
     *
     * @param clause the clause after the satellite's name
     */
    private static void alter(Target target, String name, String clause) throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute("ALTER MULTIMED SATELLITE \"%s\" %s".formatted(name.replace("\"", ""), clause));
        }
    }

    private Progress progress() {
        return new Progress(spec.commandLine().getOut());
    }

    /** Options for the treatment of running transactions. */
    static final class WaitOptions {
        @Option(
                names = "--wait",
                description =
                        "Seconds to wait for running transactions. After this time, the transactions continue, the satellite accepts no new ones, and the exit code is 1."
                                + " Default: ${DEFAULT-VALUE}",
                defaultValue = "60")
        private int seconds;

        @Option(
                names = "--force",
                description =
                        "Proceed even if no other satellite is online; remove and reseed then abort transactions that still run after --wait.")
        private boolean force;

        /**
         * Returns the options as clauses of ALTER MULTIMED SATELLITE.
         *
         * @throws IllegalArgumentException if the time is negative or longer than a day
         */
        String asSql() {
            if (seconds < 0 || seconds > TimeUnit.DAYS.toSeconds(1)) {
                throw new IllegalArgumentException("--wait must be from 0 to 86400 seconds");
            }
            return " WAIT " + seconds + (force ? " FORCE" : "");
        }
    }
}
