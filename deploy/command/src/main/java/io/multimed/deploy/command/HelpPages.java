// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Gives the help of all commands the sections of a manual page: description, arguments, options, exit codes and
 * examples. A command states its own description and, as its footer, its examples; it states exit codes only if they
 * differ from those that all commands share.
 */
public final class HelpPages {
    /** Columns of the help; an example that is longer is broken, and cannot be copied. */
    static final int WIDTH = 100;

    private HelpPages() {}

    /** Completes the help of a command and of all commands below it, which also print the version of the command. */
    public static void complete(CommandLine command) {
        UsageMessageSpec help = command.getCommandSpec().usageMessage();
        help.width(WIDTH);
        help.synopsisHeading("Usage: ");
        help.descriptionHeading("%n");
        help.parameterListHeading("%nArguments:%n");
        help.optionListHeading("%nOptions:%n");
        help.commandListHeading("%nCommands:%n");
        help.exitCodeListHeading("%nExit codes:%n");
        help.footerHeading("%nExamples:%n");
        if (help.exitCodeList().isEmpty()) {
            help.exitCodeList(exitCodes());
        }
        for (CommandLine subcommand : command.getSubcommands().values()) {
            subcommand.getCommandSpec().versionProvider(command.getCommandSpec().versionProvider());
            complete(subcommand);
        }
    }

    /** Returns the exit codes of {@link ErrorPrinter}, which most commands have. */
    private static Map<String, String> exitCodes() {
        Map<String, String> codes = new LinkedHashMap<>();
        codes.put("0", "success");
        codes.put("1", "failure; the message says why");
        codes.put("2", "the command line, a file or the System Model is wrong; nothing was done");
        return codes;
    }
}
