// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.model.MaterializedViewSpec;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Validates a System Model without starting anything, and prints which satellite holds what. The exit code is 0, or 2
 * if the model has problems, all of which are printed.
 */
@Command(
        name = "check",
        description = {
            "Validate a System Model: report all its problems, or which satellite holds what.",
            "Starts nothing, and connects to no engine."
        },
        exitCodeList = {
            "0:the model is valid; warnings may be printed",
            "1:failure; the message says why",
            "2:the model has problems, which are printed with their lines, or cannot be read"
        },
        footer = "  multimed check --model deploy/models/quickstart.yaml",
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
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                "%s is valid: 1 master, %d %s%n",
                model, read.satellites().size(), read.satellites().size() == 1 ? "satellite" : "satellites");
        read.satellites().forEach(node -> out.println(content(node)));
        remark(read).ifPresent(out::println);
        return 0;
    }

    /** Returns what a satellite holds, in one line. */
    private static String content(NodeSpec node) {
        String indexes = node.content().indexes().isEmpty()
                ? ""
                : ", with indexes " + String.join("; ", node.content().indexes());
        String views = node.content().views().isEmpty()
                ? ""
                : ", with materialized views "
                        + node.content().views().stream()
                                .map(MaterializedViewSpec::view)
                                .collect(Collectors.joining(", "));
        String tables = node.content().tables().all()
                ? "all tables"
                : String.join(", ", new TreeSet<>(node.content().tables().names()));
        return "%s holds %s%s%s".formatted(node.name(), tables, indexes, views);
    }

    /** Returns which reads run on the master because of the satellites that the model defines. */
    private static Optional<String> remark(SystemModel model) {
        if (model.satellites().isEmpty()) {
            return Optional.of("warning: there is no satellite: the master answers all reads");
        }
        return model.satellites().stream()
                        .anyMatch(node -> node.content().tables().all())
                ? Optional.empty()
                : Optional.of(
                        "warning: no satellite holds all tables: reads of tables that no satellite holds, and read-only transactions of several statements, run on the master");
    }
}
