// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy;

import io.multimed.deploy.change.ApplyCommand;
import io.multimed.deploy.change.MasterCommand;
import io.multimed.deploy.change.RestartCommand;
import io.multimed.deploy.command.CheckCommand;
import io.multimed.deploy.command.CompletionCommand;
import io.multimed.deploy.command.ErrorPrinter;
import io.multimed.deploy.command.HelpPages;
import io.multimed.deploy.command.QuickstartCommand;
import io.multimed.deploy.command.SatelliteCommand;
import io.multimed.deploy.command.SqlCommand;
import io.multimed.deploy.command.StatusCommand;
import io.multimed.deploy.command.Subcommand;
import io.multimed.deploy.command.TpcwCommand;
import io.multimed.deploy.command.UpCommand;
import io.multimed.deploy.command.UserCommand;
import io.multimed.deploy.command.VerifyCommand;
import io.multimed.deploy.log.LogFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.IVersionProvider;

/** The {@code multimed} command. Other modules add subcommands by implementing {@link Subcommand}. */
@Command(
        name = "multimed",
        description = "Many unmodified database engines, one database.",
        mixinStandardHelpOptions = true,
        versionProvider = Multimed.Version.class,
        subcommands = {
            UpCommand.class,
            CheckCommand.class,
            StatusCommand.class,
            ApplyCommand.class,
            SatelliteCommand.class,
            MasterCommand.class,
            RestartCommand.class,
            VerifyCommand.class,
            UserCommand.class,
            SqlCommand.class,
            TpcwCommand.class,
            QuickstartCommand.class,
            CompletionCommand.class
        },
        footer = {
            "  multimed up --model deploy/models/quickstart.yaml",
            "  multimed status",
            "  multimed sql \"SELECT 1\"",
            "  multimed satellite drain --help",
            "",
            "Environment:",
            "  MULTIMED_PASSWORD      password of commands that connect, see also --password-file",
            "  MULTIMED_LOG           level of the log: WARN (the default), INFO or DEBUG",
            "  MULTIMED_JAVA_OPTIONS  options of the Java runtime, for example -Xmx2g",
            "  JAVA_HOME              the Java runtime, 17 or newer; without it, java on the PATH"
        })
public final class Multimed {
    /** The commands of experiments, which an archive of their own contains. */
    public static final Set<String> OF_TRIALS = Set.of("bench", "capacity", "figures", "history", "soak");

    private static final int WRONG_INPUT = 2;

    private Multimed() {}

    /** Ends the process with the exit code, even if threads of a subcommand still run. */
    public static void main(String[] arguments) {
        // The format of figures, and of numbers in SQL, must not depend on the machine.
        Locale.setDefault(Locale.ROOT);
        System.exit(run(arguments));
    }

    /**
     * Runs one command line. Subcommands of other modules are found by {@link ServiceLoader}.
     *
     * @return the exit code: 0 for success, 1 for a failure, 2 for wrong input; see also {@link UpCommand}
     */
    public static int run(String... arguments) {
        String format = System.getenv(LogFormat.VARIABLE);
        if (format != null && LogFormat.of(format).isEmpty()) {
            System.err.printf("%s: \"%s\" is neither text nor json%n", LogFormat.VARIABLE, format);
            return 2;
        }
        return commandLine().execute(arguments);
    }

    /** Returns the command with the subcommands of all modules and their help. */
    public static CommandLine commandLine() {
        CommandLine command = new CommandLine(new Multimed());
        ServiceLoader.load(Subcommand.class, Multimed.class.getClassLoader()).forEach(command::addSubcommand);
        HelpPages.complete(command);
        IParameterExceptionHandler usual = command.getParameterExceptionHandler();
        return command.setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(new ErrorPrinter())
                .setParameterExceptionHandler((failure, arguments) -> {
                    if (arguments.length == 0 || !isMissing(arguments[0], command)) {
                        return usual.handleParseException(failure, arguments);
                    }
                    command.getErr()
                            .printf(
                                    "the command %s is part of multimed-trials-%s.tar.gz: unpack it in the folder in which multimed-%2$s.tar.gz was unpacked%n",
                                    arguments[0], version());
                    return WRONG_INPUT;
                });
    }

    private static boolean isMissing(String name, CommandLine command) {
        return OF_TRIALS.contains(name) && !command.getSubcommands().containsKey(name);
    }

    /** Returns the version, which the build writes. */
    public static String version() throws IOException {
        try (InputStream text = Objects.requireNonNull(Multimed.class.getResourceAsStream("version.txt"))) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() throws IOException {
            return new String[] {"multimed " + version()};
        }
    }
}
