// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.change;

import io.multimed.deploy.command.DatabaseOptions;
import io.multimed.deploy.terminal.Progress;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Pauses and resumes the master, for an operator who restarts an engine that Multimed has not started. */
@Command(
        name = "master",
        description =
                "Pause or resume the master of a running middleware, for example to restart an engine that Multimed has not started.",
        footer = {"  multimed master pause", "  multimed master resume"},
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "(pause | resume)")
public final class MasterCommand {
    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public MasterCommand() {}

    @Command(
            name = "pause",
            description = {
                "Let running transactions on the master end, and make new ones wait.",
                "The pause ends by multimed master resume, or by itself after 5 minutes."
            },
            footer = {"  multimed master pause", "  multimed master pause --wait 60"},
            mixinStandardHelpOptions = true)
    int pause(
            @Mixin DatabaseOptions database,
            @Option(
                            names = "--wait",
                            description =
                                    "Seconds to wait for running transactions; then the pause is given up. Default: ${DEFAULT-VALUE}",
                            defaultValue = "10")
                    int seconds)
            throws Exception {
        if (seconds < 0 || seconds > TimeUnit.DAYS.toSeconds(1)) {
            throw new IllegalArgumentException("--wait must be from 0 to 86400 seconds");
        }
        new Administrator(database.single()).run("ALTER MULTIMED MASTER PAUSE WAIT " + seconds);
        say("the master is paused: new transactions wait; multimed master resume ends the pause");
        return 0;
    }

    @Command(
            name = "resume",
            description = "End the pause of the master, when its engine can be reached again.",
            footer = "  multimed master resume",
            mixinStandardHelpOptions = true)
    int resume(@Mixin DatabaseOptions database) throws Exception {
        new Administrator(database.single()).run("ALTER MULTIMED MASTER RESUME");
        say("the master serves");
        return 0;
    }

    private void say(String line) {
        new Progress(spec.commandLine().getOut()).say(line);
    }
}
