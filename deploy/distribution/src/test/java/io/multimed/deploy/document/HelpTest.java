// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.Multimed;
import io.multimed.deploy.command.Subcommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;

/** The help of each command and subcommand has what a manual page has. */
class HelpTest {
    private static final String ENVIRONMENT = "Environment:";

    private static void forEach(CommandLine command, Consumer<CommandLine> check) {
        check.accept(command);
        command.getSubcommands().values().forEach(each -> forEach(each, check));
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName();
    }

    private static String help(CommandLine command) {
        return command.getUsageMessage(Ansi.OFF);
    }

    /** Returns the lines of a section of the help; an empty line ends the section. */
    private static List<String> section(CommandLine command, String heading) {
        return help(command)
                .lines()
                .dropWhile(line -> !line.equals(heading))
                .skip(1)
                .takeWhile(line -> !line.isBlank())
                .map(String::strip)
                .toList();
    }

    @Test
    void shouldKnowTheCommandsThatMayBeMissing() {
        assertThat(ServiceLoader.load(Subcommand.class).stream()
                        .map(each -> each.type()
                                .getAnnotation(CommandLine.Command.class)
                                .name()))
                .containsExactlyInAnyOrderElementsOf(Multimed.OF_TRIALS);
    }

    @Test
    void shouldDescribeEachCommandAndItsArguments() {
        List<String> bare = new ArrayList<>();
        forEach(Multimed.commandLine(), command -> {
            if (command.getCommandSpec().usageMessage().description().length == 0) {
                bare.add(name(command));
            }
            command.getCommandSpec().args().stream()
                    .filter(argument -> argument.description().length == 0)
                    .forEach(argument -> bare.add(name(command) + " " + label(argument)));
        });
        assertThat(bare).as("commands and options without a description").isEmpty();
    }

    private static String label(ArgSpec argument) {
        return argument.isOption() ? argument.toString() : argument.paramLabel();
    }

    @Test
    void shouldListTheExitCodesOfEachCommand() {
        forEach(Multimed.commandLine(), command -> {
            Map<String, String> codes = command.getCommandSpec().usageMessage().exitCodeList();
            assertThat(codes).as(name(command)).containsKeys("1", "2");
            assertThat(section(command, "Exit codes:")).as(name(command)).hasSizeGreaterThanOrEqualTo(codes.size());
        });
    }

    @Test
    void shouldShowAnExampleOfEachCommandThatTheCommandUnderstands() {
        int[] examples = {0};
        forEach(Multimed.commandLine(), command -> {
            List<String> lines = section(command, "Examples:");
            assertThat(lines)
                    .as(name(command) + ": the footer of the command has its examples")
                    .isNotEmpty();
            for (String line : lines) {
                examples[0]++;
                String own = line.replaceFirst("^source <\\((.*)\\)$", "$1").replaceFirst(" > .*", "");
                assertThat(own).as(name(command)).startsWith(name(command));
                assertThat(DocumentsTest.fault(own.replaceFirst("multimed ", "")))
                        .as(line)
                        .isEmpty();
            }
        });
        assertThat(examples[0]).isGreaterThan(25);
    }

    @Test
    @Tag("exhaustive")
    void shouldPrintTheVersionForEachCommand() {
        forEach(
                Multimed.commandLine(),
                command -> assertThat(command.getCommandSpec().version())
                        .as(name(command))
                        .containsExactlyInAnyOrder(
                                Multimed.commandLine().getCommandSpec().version()));
    }

    @Test
    void shouldNameTheEnvironmentVariables() {
        assertThat(help(Multimed.commandLine()))
                .contains(ENVIRONMENT, "MULTIMED_PASSWORD", "MULTIMED_LOG", "MULTIMED_JAVA_OPTIONS", "JAVA_HOME");
    }
}
