package io.multimed.deploy.command;

import io.multimed.model.SystemModel;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Validates a System Model without starting anything. The exit code is 0, or 2 if the model has problems, all of which
 * are printed.
 */
@Command(
        name = "check",
        description = "Validate a System Model, and report all its problems.",
        mixinStandardHelpOptions = true)
public final class CheckCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--model", description = "The System Model, a YAML file.", required = true)
    private Path model;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public CheckCommand() {}

    /** Reads the model. {@link ErrorPrinter} prints the problems of an invalid one. */
    @Override
    public Integer call() throws Exception {
        SystemModel read = SystemModel.read(model);
        spec.commandLine()
                .getOut()
                .printf(
                        "%s is valid: 1 master, %d satellites%n",
                        model, read.satellites().size());
        return 0;
    }
}
