// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.fault.MiddlewareProcess;
import io.multimed.deploy.fault.ProcessTree;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.protocol.Frame;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.WireWriter;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Clients that together need more memory than a small middleware has: some requests are refused, the others continue,
 * and the middleware neither hangs nor fails to stop.
 */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine
class OverloadTest {
    private static final int CLIENTS = Integer.getInteger("multimed.test.overload-clients", 4);
    private static final int SIZE = Integer.getInteger("multimed.test.overload-mb", 24) << 20;
    private static final int ROUNDS = 1;
    private static final int HALF_FRAMES = 12;

    /** Maximum time for an orderly stop. */
    private static final int STOP_SECONDS = 60;

    /** Bytes sent of incomplete frames. */
    private final AtomicLong sent = new AtomicLong();

    @TempDir
    private Path folder;

    private final String engine;
    private final String heap;
    private final ExternalEngines engines;

    OverloadTest(String engine) {
        this.engine = engine;
        heap = System.getProperty("multimed.test.heap", engine.equals("postgresql") ? "192m" : "384m");
        engines = new ExternalEngines(engine);
    }

    @AfterEach
    void stopEngines() {
        engines.close();
    }

    @Test
    void shouldNeitherHangNorDieWhenClientsTogetherNeedTooMuchMemory() throws Exception {
        try (MiddlewareProcess middleware = new MiddlewareProcess(
                engines.model(folder), folder.resolve("output"), List.of("-Xmx" + heap, "-XX:TieredStopAtLevel=1"))) {
            middleware.start();
            middleware.awaitSatellites();
            String body = engine.equals("postgresql") ? "bytea" : "longblob";
            engines.run(
                    "CREATE TABLE doc (id int PRIMARY KEY, body " + body + ")",
                    "CREATE TABLE other (id int PRIMARY KEY, n int)",
                    "INSERT INTO other VALUES (1, 0)");
            sendLargeValuesTogether();
            assertServing();
            sendHalfFramesTogether();
            assertServing();
            engines.awaitApplied();
            assertThat(middleware.printed()).doesNotContain("has died");
            endInTimeAlthoughTheMasterIsSilent(middleware);
        }
    }

    /** Another client commits, and the status shows the nodes correctly. */
    private void assertServing() throws SQLException {
        try (Connection connection = engines.connect();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(60);
            assertThat(statement.executeUpdate("UPDATE other SET n = n + 1")).isEqualTo(1);
            try (ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
                assertThat(nodes.next()).isTrue();
                assertThat(nodes.getString("state")).isEqualTo("ONLINE");
            }
        }
    }

    private void sendLargeValuesTogether() throws Exception {
        byte[] bytes = new byte[SIZE];
        new Random(1).nextBytes(bytes);
        List<CompletableFuture<Integer>> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int client = i;
            clients.add(CompletableFuture.supplyAsync(
                    () -> sendLargeValues(client, bytes), work -> new Thread(work).start()));
        }
        int refused = 0;
        for (CompletableFuture<Integer> client : clients) {
            refused += client.get(300, TimeUnit.SECONDS);
        }
        System.out.printf(
                "%s, heap %s: %d of %d statements with %d MB were refused%n",
                engine, heap, refused, CLIENTS * ROUNDS, SIZE >> 20);
    }

    /**
     * Every report to the client is correct: an acknowledged row exists, and so does a row of which only the answer was
     * lost; a refused row does not exist. Returns the number of statements that failed.
     */
    private int sendLargeValues(int client, byte[] bytes) {
        int refused = 0;
        String sql = "INSERT INTO doc VALUES (?, ?)" + (engine.equals("mysql") ? "" : " RETURNING id, body");
        for (int round = 0; round < ROUNDS; round++) {
            int id = client * ROUNDS + round;
            String outcome = insert(sql, id, bytes);
            assertThat(outcome).matches("00000|MM001|53200|40001|08.*|57.*|58.*");
            if (!outcome.matches("08.*|57.*|58.*")) {
                assertThat(isThere(id)).as(outcome).isEqualTo(outcome.matches("00000|MM001"));
            }
            refused += outcome.equals("00000") ? 0 : 1;
        }
        return refused;
    }

    /** Returns the SQLState; 00000 if the statement succeeds. */
    private String insert(String sql, int id, byte[] bytes) {
        try (Connection connection = engines.connect();
                PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setInt(1, id);
            insert.setBinaryStream(2, new ByteArrayInputStream(bytes));
            insert.execute();
            return "00000";
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }

    private boolean isThere(int id) {
        try (Connection connection = engines.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT 1 FROM doc WHERE id = " + id)) {
            return row.next();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends a few MB of each of many frames of 63 MB, and then nothing. */
    private void sendHalfFramesTogether() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < HALF_FRAMES; i++) {
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(),
                        URI.create(engines.url().substring(5)).getPort());
                sockets.add(socket);
                if (i % 2 == 0) {
                    login(socket);
                }
            }
            List<Thread> senders = sockets.stream()
                    .map(socket -> new Thread(() -> sendHalf(socket)))
                    .toList();
            senders.forEach(Thread::start);
            awaitNoProgress();
            assertServing();
            for (Socket socket : sockets) {
                socket.close();
            }
            for (Thread sender : senders) {
                sender.join();
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static void login(Socket socket) throws IOException {
        Hello hello = new Hello(Protocol.VERSION, "shop", "", "half", new byte[18], "");
        socket.getOutputStream().write(Frame.encode(1, hello, new WireWriter()));
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.readNBytes(in.readInt());
    }

    /** Waits until no client can send any more. */
    private void awaitNoProgress() {
        AtomicLong before = new AtomicLong();
        await("no client can send any more: the middleware's memory is in use")
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofSeconds(4))
                .until(() -> {
                    long now = sent.get();
                    return now > 0 && now == before.getAndSet(now);
                });
    }

    private void sendHalf(Socket socket) {
        byte[] part = new byte[1 << 20];
        try {
            OutputStream out = socket.getOutputStream();
            out.write(ByteBuffer.allocate(4).putInt(63 << 20).array());
            for (int i = 0; i < 60; i++) {
                out.write(part);
                sent.addAndGet(part.length);
            }
        } catch (IOException e) {
            // The connection was closed by the middleware or by this test.
            assertThat(e).isNotInstanceOf(SocketTimeoutException.class);
        }
    }

    /** The connections are open but do not answer, and a commit waits for one of them. */
    private void endInTimeAlthoughTheMasterIsSilent(MiddlewareProcess middleware) throws Exception {
        ProcessTree master = new ProcessTree(engines.master());
        ProcessHandle process = ProcessHandle.of(middleware.pid()).orElseThrow();
        try (Connection connection = engines.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("UPDATE other SET n = n + 1");
            master.stop();
            CompletableFuture<Void> commit = CompletableFuture.runAsync(
                    () -> assertThatCode(connection::commit).isInstanceOf(SQLException.class));
            long begun = System.nanoTime();
            process.destroy();
            process.onExit().get(STOP_SECONDS + 30, TimeUnit.SECONDS);
            System.out.printf(
                    "%s: the middleware ended %.1f s after the signal%n", engine, (System.nanoTime() - begun) / 1e9);
            commit.get(60, TimeUnit.SECONDS);
        } finally {
            master.resume();
        }
    }
}
