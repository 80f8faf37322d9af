package io.multimed.deploy;

import io.multimed.deploy.change.ApplyCommand;
import io.multimed.deploy.change.MasterCommand;
import io.multimed.deploy.change.RestartCommand;
import io.multimed.deploy.command.CheckCommand;
import io.multimed.deploy.command.ErrorPrinter;
import io.multimed.deploy.command.QuickstartCommand;
import io.multimed.deploy.command.SatelliteCommand;
import io.multimed.deploy.command.SqlCommand;
import io.multimed.deploy.command.StatusCommand;
import io.multimed.deploy.command.Subcommand;
import io.multimed.deploy.command.TpcwCommand;
import io.multimed.deploy.command.UpCommand;
import io.multimed.deploy.command.UserCommand;
import io.multimed.deploy.command.VerifyCommand;
import java.util.Locale;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code multimed} command. Other modules add subcommands by implementing {@link Subcommand}. */
@Command(
        name = "multimed",
        description = "Many unmodified database engines, one database.",
        mixinStandardHelpOptions = true,
        version = "multimed 0.1.0",
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
            QuickstartCommand.class
        })
public final class Multimed {
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
        CommandLine command = new CommandLine(new Multimed());
        ServiceLoader.load(Subcommand.class, Multimed.class.getClassLoader()).forEach(command::addSubcommand);
        return command.setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(new ErrorPrinter())
                .execute(arguments);
    }
}
