package io.multimed.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.history.Anomaly;
import io.multimed.deploy.history.HistoryChecker;
import io.multimed.deploy.history.HistoryFile;
import io.multimed.deploy.history.Operation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Histories written by hand: each anomaly must be found, and nothing must be found where there is none. */
class HistoryCheckerTest {
    @TempDir
    private Path folder;

    private List<String> judge(String... lines) throws Exception {
        Path file = folder.resolve("history");
        Files.write(
                file,
                IntStream.range(0, lines.length)
                        .mapToObj(i ->
                                lines[i].replaceFirst("\\{", "{\"index\":" + i + ",\"time\":" + i + ",\"f\":\"txn\","))
                        .toList());
        List<Operation> operations = HistoryFile.read(file);
        return HistoryChecker.check(operations).stream().map(Anomaly::name).toList();
    }

    private static String line(String type, int process, String value) {
        return "{\"type\":\"%s\",\"process\":%d,\"value\":%s}".formatted(type, process, value);
    }

    @Test
    void shouldFindNothingWrongWithAnOrderlyHistory() throws Exception {
        assertThat(judge(
                        line("invoke", 1, "[[\"append\",1,10],[\"append\",2,11]]"),
                        line("ok", 1, "[[\"append\",1,10],[\"append\",2,11]]"),
                        line("invoke", 2, "[[\"r\",1,null],[\"r\",2,null]]"),
                        line("ok", 2, "[[\"r\",1,[10]],[\"r\",2,[11]]]")))
                .isEmpty();
    }

    @Test
    void shouldFindAStaleRead() throws Exception {
        assertThat(judge(
                        line("invoke", 1, "[[\"append\",1,10]]"),
                        line("ok", 1, "[[\"append\",1,10]]"),
                        line("invoke", 2, "[[\"r\",1,null]]"),
                        line("ok", 2, "[[\"r\",1,[]]]"),
                        line("invoke", 3, "[[\"r\",1,null]]"),
                        line("ok", 3, "[[\"r\",1,[10]]]")))
                .contains("stale read");
    }

    @Test
    void shouldFindALongFork() throws Exception {
        assertThat(judge(
                        line("invoke", 1, "[[\"append\",1,10]]"),
                        line("invoke", 2, "[[\"append\",2,20]]"),
                        line("invoke", 3, "[[\"r\",1,null],[\"r\",2,null]]"),
                        line("invoke", 4, "[[\"r\",1,null],[\"r\",2,null]]"),
                        line("ok", 3, "[[\"r\",1,[10]],[\"r\",2,[]]]"),
                        line("ok", 4, "[[\"r\",1,[]],[\"r\",2,[20]]]"),
                        line("ok", 1, "[[\"append\",1,10]]"),
                        line("ok", 2, "[[\"append\",2,20]]")))
                .contains("long fork");
    }

    @Test
    void shouldFindAPartialCommit() throws Exception {
        assertThat(judge(
                        line("invoke", 1, "[[\"append\",1,10],[\"append\",2,11]]"),
                        line("invoke", 2, "[[\"r\",1,null],[\"r\",2,null]]"),
                        line("ok", 2, "[[\"r\",1,[10]],[\"r\",2,[]]]"),
                        line("ok", 1, "[[\"append\",1,10],[\"append\",2,11]]")))
                .contains("partial commit");
    }

    @Test
    void shouldFindADirtyRead() throws Exception {
        assertThat(judge(
                        line("invoke", 1, "[[\"append\",1,10]]"),
                        line("fail", 1, "[[\"append\",1,10]]"),
                        line("invoke", 2, "[[\"r\",1,null]]"),
                        line("ok", 2, "[[\"r\",1,[10]]]")))
                .contains("dirty read");
    }

    @Test
    void shouldFindALostUpdate() throws Exception {
        List<Operation> none = List.of();
        assertThat(HistoryChecker.check(none)).isEmpty();
        Path file = folder.resolve("lost");
        Files.writeString(file, """
                {"index":0,"type":"invoke","process":1,"time":0,"value":[["append",1,10]]}
                {"index":1,"type":"ok","process":1,"time":1,"value":[["append",1,10]]}
                """);
        assertThat(HistoryChecker.check(HistoryFile.read(file), java.util.Map.of(1, List.of())))
                .extracting(Anomaly::name)
                .contains("lost update");
    }

    @Test
    void shouldFindReadsThatDisagreeOnAnOrder() throws Exception {
        assertThat(judge(
                        line("invoke", 1, "[[\"append\",1,10]]"),
                        line("invoke", 2, "[[\"append\",1,20]]"),
                        line("ok", 1, "[[\"append\",1,10]]"),
                        line("ok", 2, "[[\"append\",1,20]]"),
                        line("invoke", 3, "[[\"r\",1,null]]"),
                        line("ok", 3, "[[\"r\",1,[10,20]]]"),
                        line("invoke", 4, "[[\"r\",1,null]]"),
                        line("ok", 4, "[[\"r\",1,[20,10]]]")))
                .contains("incompatible orders");
    }
}
