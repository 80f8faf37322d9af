// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.Multimed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Hand-written histories: the checker must find each anomaly under its exact name, and none in histories without
 * anomalies or at isolation levels that permit them.
 */
class HistoryCheckerTest {
    @TempDir
    private Path folder;

    private static HistoryText together(String... transactions) {
        return new HistoryText().together(transactions);
    }

    private static List<String> judge(HistoryText history, Isolation isolation) {
        return HistoryChecker.check(history.operations(), Map.of(), isolation).stream()
                .map(Anomaly::name)
                .toList();
    }

    private static List<String> snapshot(HistoryText history) {
        return judge(history, Isolation.REPEATABLE_READ);
    }

    private static List<String> committed(HistoryText history) {
        return judge(history, Isolation.READ_COMMITTED);
    }

    private static List<String> serializable(HistoryText history) {
        return judge(history, Isolation.SERIALIZABLE);
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindNoAnomalyInACorrectHistory(Isolation isolation) {
        HistoryText history = together("a1=7 a2=7")
                .together("r1=[7] a1=8 r1=[7,8]", "r1=[7] r2=[7] r3=[] r4", "fail r1=[7] a1=9", "info a2=10")
                .together("r1=[7,8] r2=[7,10]", "info a2=11")
                .together("r1=[7,8] r2=[7,10]");
        assertThat(judge(history, isolation)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindWritesInDifferentOrders(Isolation isolation) {
        HistoryText history = together("a1=1 a2=3", "a1=2 a2=4").together("r1=[1,2] r2=[4,3]");
        assertThat(judge(history, isolation)).containsExactly("G0");
        assertThat(judge(together("a1=1").together("a1=2").together("r1=[2,1]"), isolation))
                .containsExactly("G0-realtime");
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindReadsOfUncommittedValues(Isolation isolation) {
        assertThat(judge(together("fail a1=10", "r1=[10]"), isolation)).containsExactly("G1a");
        assertThat(judge(together("a1=1 a1=2", "r1=[1]").together("r1=[1,2]"), isolation))
                .containsExactly("G1b");
        assertThat(judge(together("r1=[10]"), isolation)).containsExactly("garbage read");
        assertThat(judge(together("a1=1").together("r1=[1,1]"), isolation)).containsExactly("duplicate");
        assertThat(judge(together("a1=1", "a1=2").together("r1=[1,2]", "r1=[2]"), isolation))
                .containsExactly("incompatible order");
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindCircularFlow(Isolation isolation) {
        assertThat(judge(together("a1=1 r2=[2]", "a2=2 r1=[1]"), isolation)).containsExactly("G1c");
        assertThat(judge(together("r1=[1] a2=2").together("a1=1").together("r2=[2]"), isolation))
                .containsExactly("G1c-realtime");
    }

    @Test
    void shouldFindLostUpdates() {
        HistoryText history = together("r1=[] a1=1", "r1=[] a1=2").together("r1=[1,2]");
        assertThat(snapshot(history)).containsExactly("lost update");
        assertThat(serializable(history)).containsExactly("lost update");
        assertThat(committed(history)).isEmpty();
        HistoryText unseen = together("a1=1").together("r1=[1] a1=2", "r1=[1] a1=3", "a1=4");
        assertThat(snapshot(unseen)).containsExactly("lost update");
        assertThat(committed(unseen)).isEmpty();
        HistoryText overwritten =
                together("a1=1").together("r1=[1] a1=2", "r1=[1] a1=3").together("r1=[1,2]");
        assertThat(snapshot(overwritten)).contains("lost update");
    }

    @Test
    void shouldFindReadSkew() {
        HistoryText history = together("a1=1", "r1=[1] a2=2", "r1=[] r2=[2] a3=3");
        assertThat(snapshot(history)).containsExactly("G-single");
        assertThat(serializable(history)).containsExactly("G-single");
        assertThat(committed(history)).isEmpty();
    }

    @Test
    void shouldFindFracturedReads() {
        HistoryText update = together("a1=1 a2=2", "r1=[1] r2=[] a3=3").together("r2=[2]");
        assertThat(snapshot(update)).containsExactly("fractured read");
        assertThat(committed(update)).isEmpty();
        HistoryText onlyRead = together("a1=1 a2=2", "r1=[1] r2=[]").together("r2=[2]");
        assertThat(snapshot(onlyRead)).containsExactly("fractured read");
        assertThat(committed(onlyRead)).containsExactly("fractured read");
    }

    @Test
    void shouldFindLongForks() {
        HistoryText updates = together("a1=1", "a2=2", "r1=[1] r2=[] a3=3", "r1=[] r2=[2] a4=4");
        assertThat(snapshot(updates)).containsExactly("long fork");
        assertThat(serializable(updates)).containsExactly("long fork");
        assertThat(committed(updates)).isEmpty();
        HistoryText onlyRead = together("a1=1", "a2=2", "r1=[1] r2=[]", "r1=[] r2=[2]");
        assertThat(snapshot(onlyRead)).containsExactly("long fork");
        assertThat(committed(onlyRead)).containsExactly("long fork");
    }

    @Test
    void shouldFindCyclesWithNonAdjacentAntiDependencies() {
        HistoryText history = together("r1=[] r4=[40]", "a1=1 a2=2", "a2=3 r3=[]", "a3=4 a4=40")
                .together("r1=[1] r2=[2,3] r3=[4] r4=[40]");
        assertThat(snapshot(history)).containsExactly("G-nonadjacent");
        assertThat(serializable(history)).containsExactly("G-nonadjacent");
        HistoryText inTime = new HistoryText()
                .begin(1, "r1=[]")
                .begin(2, "a2=2")
                .end(2, "a2=2")
                .end(1, "r1=[]")
                .begin(4, "r2=[]")
                .end(4, "r2=[]");
        assertThat(snapshot(inTime)).containsExactly("stale read");
        HistoryText apart = new HistoryText()
                .begin(1, "r1=[]  a5=5")
                .begin(2, "r2=[] a6=6")
                .begin(3, "a1=1")
                .end(3, "a1=1")
                .begin(4, "a2=2")
                .begin(5, "r1=[] a7=7")
                .end(4, "a2=2")
                .end(5, "r1=[] a7=7")
                .end(1, "r1=[] a5=5")
                .end(2, "r2=[] a6=6");
        assertThat(snapshot(apart)).containsExactly("stale read");
    }

    @Test
    void shouldAllowWriteSkewBelowSerializable() {
        HistoryText history = together("r1=[] a2=2", "r2=[] a1=1").together("r1=[1] r2=[2]");
        assertThat(snapshot(history)).isEmpty();
        assertThat(committed(history)).isEmpty();
        assertThat(serializable(history)).containsExactly("G2-item");
    }

    @Test
    void shouldFindTheReadOnlyTransactionAnomaly() {
        HistoryText history = new HistoryText()
                .begin(1, "r1=[] r2=[] a1=1")
                .begin(2, "r2=[] a2=2")
                .end(2, "a2=2 r2=[2]")
                .begin(3, "r1=[] r2=[2]")
                .end(3, "r1=[] r2=[2]")
                .end(1, "r1=[] r2=[] a1=1");
        assertThat(snapshot(history)).isEmpty();
        assertThat(serializable(history)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindStaleReads(Isolation isolation) {
        for (String reader : List.of("r1=[]", "r1=[] a2=2", "r1=[] r2=[]")) {
            assertThat(judge(together("a1=1").together(reader).together("r1=[1]"), isolation))
                    .as(reader)
                    .containsExactly("stale read");
            assertThat(judge(together("a1=1").together("r1=[1]").together(reader), isolation))
                    .as(reader)
                    .containsExactly("stale read");
        }
        assertThat(judge(
                        new HistoryText()
                                .begin(1, "a1=1")
                                .begin(2, "r1=[1]")
                                .end(2, "r1=[1]")
                                .begin(3, "r1=[]")
                                .end(3, "r1=[]")
                                .end(1, "a1=1"),
                        isolation))
                .as("a value that one client has read is visible to all later transactions")
                .containsExactly("stale read");
    }

    @Test
    void shouldFindStaleReadsOfValuesThatNoReadReturned() {
        assertThat(snapshot(together("a1=1").together("r1=[]"))).containsExactly("stale read");
        assertThat(snapshot(together("info a1=1").together("r1=[]"))).isEmpty();
        assertThat(snapshot(together("a1=1", "r1=[]"))).isEmpty();
    }

    @Test
    void shouldFindReadsThatContradictTheirOwnTransaction() {
        HistoryText unrepeated = together("a1=1", "r1=[] r1=[1] a2=2");
        assertThat(snapshot(unrepeated)).containsExactly("internal");
        assertThat(committed(unrepeated)).isEmpty();
        assertThat(committed(together("a1=1", "r1=[] r1=[1]"))).containsExactly("internal");
        assertThat(committed(together("a1=1 r1=[]"))).containsExactly("internal");
    }

    @Test
    void shouldFindLostAcknowledgedWrites() {
        List<Operation> history = together("a1=1 a2=2", "info a1=3").operations();
        assertThat(HistoryChecker.check(history, Map.of(2, List.of(2))))
                .extracting(Anomaly::name)
                .containsExactly("lost write");
        assertThat(HistoryChecker.check(history, Map.of(1, List.of(1, 3), 2, List.of(2))))
                .isEmpty();
    }

    @Test
    void shouldExplainAnAnomalyByItsTransactions() {
        HistoryText history = together("r1=[] a1=1", "r1=[] a1=2").together("r1=[1,2]");
        assertThat(HistoryChecker.check(history.operations()).get(0).sentence())
                .isEqualTo("G-single of operations 0, 1: 0 -ww-> 1 (1 appended 2 to key 1 after a value of 0);"
                        + " 1 -rw-> 0 (1 read key 1 without 1, which 0 appended)");
        HistoryText stale = together("a1=1").together("r1=[]").together("r1=[1]");
        assertThat(HistoryChecker.check(stale.operations()).get(0).sentence())
                .contains("0 -rt-> 2 (0 had ended before 2 began)", "2 -rw-> 0");
        HistoryText late = together("a1=1")
                .together("r1=[1] a2=1")
                .together("r2=[1] a2=2 a3=1")
                .together("r2=[1,2] r3=[1] a3=2")
                .together("r1=[]");
        assertThat(HistoryChecker.check(late.operations()).get(0).sentence())
                .as("the shortest of many cycles")
                .isEqualTo("G-single-realtime of operations 0, 8: 0 -rt-> 8 (0 had ended before 8 began);"
                        + " 8 -rw-> 0 (8 read key 1 without 1, which 0 appended)");
    }

    @Test
    void shouldReportIndependentAnomaliesSeparately() {
        HistoryText history = together(
                        "r1=[] a1=1", "r1=[] a1=2", "a2=1 r3=[2]", "a3=2 r2=[1]", "a5=1 a6=1", "r5=[1] r6=[]")
                .together("r1=[1,2]", "r6=[1]");
        assertThat(snapshot(history)).containsExactlyInAnyOrder("lost update", "G1c", "fractured read");
    }

    @Test
    void shouldCheckFilesWithoutTimeExceptForRealTime() {
        HistoryText stale = together("a1=1").together("r1=[]").together("r1=[1]");
        assertThat(HistoryChecker.hasRealTime(stale.operations())).isTrue();
        assertThat(HistoryChecker.hasRealTime(stale.operationsWithoutTime())).isFalse();
        assertThat(HistoryChecker.check(stale.operationsWithoutTime())).isEmpty();
        assertThat(HistoryChecker.check(together("r1=[] a1=1", "r1=[] a1=2")
                        .together("r1=[1,2]")
                        .operationsWithoutTime()))
                .extracting(Anomaly::name)
                .containsExactly("lost update");
    }

    @Test
    void shouldCheckForTheIsolationLevelInTheFile() throws Exception {
        String history =
                together("r1=[] a1=1", "r1=[] a1=2").together("r1=[1,2]").json();
        assertThat(check(history)).isEqualTo(1);
        assertThat(check(history, "--isolation", "read-committed")).isZero();
        assertThat(check(history.replace("\"f\":", "\"isolation\":\"read committed\",\"f\":")))
                .isZero();
        assertThat(check(history.replace("\"f\":", "\"isolation\":\"serializable\",\"f\":")))
                .isEqualTo(1);
    }

    private int check(String history, String... more) throws Exception {
        Path file = Files.writeString(folder.resolve("history"), history);
        List<String> line = new java.util.ArrayList<>(List.of("history", "--check", file.toString()));
        line.addAll(List.of(more));
        return Multimed.run(line.toArray(new String[0]));
    }

    @Test
    void shouldReadFilesInTheFormatOfElle() throws Exception {
        Path file = Files.writeString(folder.resolve("elle"), """
                {"type":"invoke","process":0,"f":"txn","value":[["append",5,1],["r",6,null]],"extra":{"a":1}}
                {"type":"info","process":"nemesis","f":"kill","value":"all"}

                {"type":"ok","process":0,"f":"txn","value":[["append",5,1],["r",6,null]]}
                {"type":"ok","process":4,"f":"txn","value":[["r",5,[1]]]}
                """);
        List<Operation> operations = HistoryFile.read(file);
        assertThat(operations).extracting(Operation::index).containsExactly(0, 3, 4);
        assertThat(HistoryChecker.check(operations)).isEmpty();
        HistoryFile.write(operations, file);
        assertThat(HistoryFile.read(file)).isEqualTo(operations);
    }

    @Test
    void shouldNameTheLineThatCannotBeReadAndTheReason() throws Exception {
        String good = "{\"type\":\"invoke\",\"process\":0,\"value\":[]}";
        refuse(good + "\n{:type :ok}", "line 2 of the history is not JSON (EDN must be converted)");
        refuse("{\"type\":\"invoke\",\"value\":[]}", "line 1 of the history has no \"process\"");
        refuse("{\"process\":1,\"value\":[]}", "line 1 of the history has no \"type\"");
        refuse("{\"process\":1,\"type\":\"ok\"}", "line 1 of the history has no \"value\"");
        refuse("{\"process\":1,\"type\":\"done\",\"value\":[]}", "has the type \"done\"");
        refuse("{\"process\":1,\"type\":\"ok\",\"value\":[[\"w\",1,2]]}", "has the step [\"w\",1,2]");
        refuse("{\"process\":1,\"type\":\"ok\",\"value\":[[\"r\",\"x\",[]]]}", "has a key \"x\"");
        assertThatThrownBy(() -> HistoryChecker.check(together("a1=1", "a1=1").operations()))
                .hasMessageContaining("both append 1 to key 1");
        assertThatThrownBy(() -> HistoryChecker.check(
                        new HistoryText().begin(1, "a1=1").begin(1, "a1=2").operations()))
                .hasMessageContaining("process 1 begins a transaction before its last one has ended");
    }

    private void refuse(String text, String words) throws Exception {
        Path file = Files.writeString(folder.resolve("wrong"), text);
        assertThatThrownBy(() -> HistoryFile.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
        assertThat(Multimed.run("history", "--check", file.toString())).isEqualTo(2);
    }
}
