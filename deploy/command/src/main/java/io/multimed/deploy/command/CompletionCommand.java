// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the completion of all commands and options for shells. The release archive contains the output. */
@Command(
        name = "completion",
        description = {
            "Print a script that lets bash and zsh complete commands and options.",
            "The release archive contains the output in completion/multimed.bash."
        },
        footer = {
            "  source <(multimed completion)",
            "  multimed completion > ~/.local/share/bash-completion/completions/multimed"
        },
        mixinStandardHelpOptions = true)
public final class CompletionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public CompletionCommand() {}

    /** Describes the commands as they are: there is no list that could be out of date. */
    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.print(AutoComplete.bash(spec.root().name(), spec.root().commandLine()));
        out.flush();
        return 0;
    }
}
