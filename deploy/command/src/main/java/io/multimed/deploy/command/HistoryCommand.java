package io.multimed.deploy.command;

import io.multimed.deploy.history.Anomaly;
import io.multimed.deploy.history.HistoryChecker;
import io.multimed.deploy.history.HistoryFile;
import io.multimed.deploy.history.HistoryRecorder;
import io.multimed.deploy.history.Operation;
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

/** Records a history that any checker can judge, and judges it by our own. */
@Command(
        name = "history",
        description = "Record what clients saw, in Elle's JSON lines, and check it.",
        mixinStandardHelpOptions = true)
public final class HistoryCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private DatabaseOptions database;

    @Option(names = "--seconds", description = "How long. Default: ${DEFAULT-VALUE}", defaultValue = "10")
    private int seconds;

    @Option(names = "--clients", description = "How many. Default: ${DEFAULT-VALUE}", defaultValue = "16")
    private int clients;

    @Option(
            names = "--read-share",
            description = "Transactions that only read. Default: ${DEFAULT-VALUE}",
            defaultValue = "0.5")
    private double readShare;

    @Option(names = "--out", description = "Where the history goes.")
    private @Nullable Path file;

    @Option(names = "--check", description = "Check this file instead of recording.")
    private @Nullable Path given;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public HistoryCommand() {}

    @Override
    public Integer call() throws Exception {
        if (given != null) {
            return judge(HistoryFile.read(given), Map.of());
        }
        Target target = database.single();
        HistoryRecorder recorder = HistoryRecorder.start(target, clients, readShare);
        TimeUnit.SECONDS.sleep(seconds);
        List<Operation> operations = recorder.stop();
        if (file != null) {
            HistoryFile.write(operations, file);
        }
        try (Connection connection = target.connect()) {
            return judge(operations, recorder.finalState(connection));
        }
    }

    private int judge(List<Operation> operations, Map<Integer, List<Integer>> finalState) {
        PrintWriter out = spec.commandLine().getOut();
        List<Anomaly> anomalies = HistoryChecker.check(operations, finalState);
        out.printf("%d transactions, %d anomalies%n", operations.size() / 2, anomalies.size());
        anomalies.forEach(out::println);
        out.flush();
        return anomalies.isEmpty() ? 0 : 1;
    }
}
