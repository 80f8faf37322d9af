// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.multimed.deploy.bench.hop.HopCommand;
import io.multimed.deploy.command.MeasuredDatabases;
import io.multimed.deploy.command.Subcommand;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Measures commits or point reads. Measures several databases in alternating rounds and compares them with the first.
 */
@Command(
        name = "bench",
        description = "Measure one kind of operation: reads, commits, or transactions.",
        subcommands = HopCommand.class,
        exitCodeList = {
            "0:no operation failed",
            "1:an operation failed; the message says why",
            "2:the command line is wrong; nothing was measured"
        },
        footer = {
            "  multimed bench read --engine ENGINE --url jdbc:multimed://127.0.0.1:7411/multimed",
            "  multimed bench commit --clients 64 --json figures.json",
            "  multimed bench read --engine ENGINE --embedded --model shop.yaml",
            "  multimed bench hop --clients 1,16"
        },
        mixinStandardHelpOptions = true)
public final class BenchCommand implements Subcommand, Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private MeasuredDatabases databases;

    /** Null only with a subcommand. */
    @Parameters(
            arity = "0..1",
            description = {
                "The operation. read: a read of one row; read100, read10000: of 100, or 10,000 rows (1 MB); commit: an",
                "update of one row;",
                "updates3: a transaction of three updates; mixed3: of a read and two updates; reads3: a read-only",
                "transaction of three reads; empty: BEGIN and COMMIT without statements; neworder, payment: the",
                "transactions of TPC-C on a small population."
            })
    private BenchOptions.@Nullable Kind kind;

    @Option(names = "--clients", description = "Concurrent clients. Default: ${DEFAULT-VALUE}", defaultValue = "16")
    private int clients;

    @Option(
            names = "--seconds",
            description = "Seconds of measured time in a round. Default: ${DEFAULT-VALUE}",
            defaultValue = "5")
    private int seconds;

    @Option(
            names = "--warmup",
            description =
                    "Seconds of warm-up before each round. The first warm-up of each URL is ten times as long, because Java compiles what runs often. Default: ${DEFAULT-VALUE}",
            defaultValue = "2")
    private int warmup;

    @Option(names = "--rounds", description = "Rounds for each URL. Default: ${DEFAULT-VALUE}", defaultValue = "3")
    private int rounds;

    @Option(
            names = "--rows",
            description = "Rows of the table, or items of TPC-C. Default: ${DEFAULT-VALUE}",
            defaultValue = "10000")
    private int rows;

    @Option(names = "--json", description = "Write the figures to this file.")
    private @Nullable Path json;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public BenchCommand() {}

    @Override
    public Integer call() throws Exception {
        if (kind == null) {
            throw new ParameterException(spec.commandLine(), "name an operation, or the command hop");
        }
        BenchOptions options = new BenchOptions(kind, clients, seconds, warmup, rounds, rows);
        List<BenchResult> results;
        try (MeasuredDatabases.Open open = databases.open()) {
            results = Bench.run(open.targets(), options);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(Bench.text(results));
        out.flush();
        if (json != null) {
            new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(json.toFile(), Bench.json(results, options));
        }
        return results.stream().allMatch(result -> result.errors() == 0) ? 0 : 1;
    }
}
