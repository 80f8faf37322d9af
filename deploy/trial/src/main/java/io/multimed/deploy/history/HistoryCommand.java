// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import io.multimed.deploy.command.DatabaseOptions;
import io.multimed.deploy.command.Subcommand;
import io.multimed.tpcw.run.Target;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Records a history in a format that any checker for list-append histories accepts, and checks the history; or checks a
 * recorded file. The exit code is 1 if the history has an anomaly.
 */
@Command(
        name = "history",
        description = "Record the observations of clients, in Elle's JSON lines, and check the history.",
        exitCodeList = {
            "0:the history is as its isolation level promises",
            "1:the history has anomalies, which are printed, or the recording failed",
            "2:the command line or the file is wrong; nothing was checked"
        },
        footer = {"  multimed history --seconds 30 --out history.jsonl", "  multimed history --check history.jsonl"},
        mixinStandardHelpOptions = true)
public final class HistoryCommand implements Subcommand, Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private DatabaseOptions database;

    @Option(names = "--seconds", description = "Seconds to record. Default: ${DEFAULT-VALUE}", defaultValue = "10")
    private int seconds;

    @Option(names = "--clients", description = "Concurrent clients. Default: ${DEFAULT-VALUE}", defaultValue = "16")
    private int clients;

    @Option(
            names = "--read-share",
            description = "Fraction of read-only transactions, 0 to 1. Default: ${DEFAULT-VALUE}",
            defaultValue = "0.5")
    private double readShare;

    @Option(
            names = "--isolation",
            description =
                    "The isolation level that read-write transactions request and that the history is checked for: read-committed, repeatable-read or serializable. Default: repeatable-read; with --check, the level in the file.")
    private @Nullable String isolation;

    @Option(names = "--out", description = "Write the history to this file.")
    private @Nullable Path file;

    @Option(names = "--check", description = "Check this file instead of recording.")
    private @Nullable Path given;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public HistoryCommand() {}

    @Override
    public Integer call() throws Exception {
        if (given != null) {
            List<Operation> operations = HistoryFile.read(given);
            return judge(operations, Map.of(), asked(HistoryChecker.isolation(operations)));
        }
        Target target = database.single();
        Isolation asked = asked(Isolation.REPEATABLE_READ);
        HistoryRecorder recorder = HistoryRecorder.start(target, clients, readShare, asked);
        TimeUnit.SECONDS.sleep(seconds);
        List<Operation> operations = recorder.stop();
        if (file != null) {
            HistoryFile.write(operations, file);
        }
        try (Connection connection = target.connect()) {
            return judge(operations, recorder.finalState(connection), asked);
        }
    }

    private Isolation asked(Isolation otherwise) {
        return isolation == null ? otherwise : Isolation.of(isolation);
    }

    private int judge(List<Operation> operations, Map<Integer, List<Integer>> finalState, Isolation promised) {
        PrintWriter out = spec.commandLine().getOut();
        if (!HistoryChecker.hasRealTime(operations)) {
            out.println("The lines have no \"time\": real time is not checked.");
        }
        List<Anomaly> anomalies = HistoryChecker.check(operations, finalState, promised);
        out.printf(
                "%d transactions at %s, %d anomalies%n",
                operations.stream()
                        .filter(line -> line.type() == Operation.Type.INVOKE)
                        .count(),
                promised,
                anomalies.size());
        anomalies.forEach(out::println);
        out.flush();
        return anomalies.isEmpty() ? 0 : 1;
    }
}
