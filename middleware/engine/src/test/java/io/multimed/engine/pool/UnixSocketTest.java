// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Unix-domain socket behaves as a TCP socket does. */
@Timeout(60)
class UnixSocketTest {
    @TempDir
    private Path folder;

    private ServerSocketChannel server;
    private EngineSocket socket;
    private SocketChannel peer;

    @BeforeEach
    void connect() throws IOException {
        Path path = folder.resolve("s");
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path));
        socket = new EngineSocket(Optional.of(path));
        socket.connect(UnixDomainSocketAddress.of(path), 1_000);
        peer = server.accept();
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
        peer.close();
        server.close();
    }

    /** Calls a method that waits on another thread, and returns when that thread waits. */
    private static Thread waiting(CompletableFuture<Object> result, Call call) throws InterruptedException {
        Thread thread = new Thread(() -> {
            try {
                result.complete(call.run());
            } catch (IOException | RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        thread.start();
        for (int i = 0; i < 3; i++) { // a thread in native code counts as running
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertThat(result).isNotDone();
        return thread;
    }

    @FunctionalInterface
    private interface Call {
        Object run() throws IOException;
    }

    @Test
    void shouldTransferMoreThanTheBuffersHold() throws Exception {
        byte[] sent = new byte[5_000_000];
        new Random(1).nextBytes(sent);
        CompletableFuture<Object> written = new CompletableFuture<>();
        waiting(written, () -> {
            socket.getOutputStream().write(sent);
            return true;
        });
        ByteBuffer received = ByteBuffer.allocate(sent.length);
        while (received.hasRemaining()) {
            peer.read(received);
        }
        assertThat(received.array()).isEqualTo(sent);
        assertThat(written.get(10, TimeUnit.SECONDS)).isEqualTo(true);
        CompletableFuture<Object> echoed = new CompletableFuture<>();
        waiting(echoed, () -> socket.getInputStream().readNBytes(sent.length));
        for (ByteBuffer rest = ByteBuffer.wrap(sent); rest.hasRemaining(); ) {
            peer.write(rest);
        }
        assertThat((byte[]) echoed.get(10, TimeUnit.SECONDS)).isEqualTo(sent);
    }

    @Test
    void shouldReadSingleBytesAndTheEnd() throws IOException {
        peer.write(ByteBuffer.wrap(new byte[] {(byte) 200}));
        peer.close();
        assertThat(socket.getInputStream().read()).isEqualTo(200);
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void shouldEndAReadAtTheTimeLimit() throws IOException {
        socket.setSoTimeout(50);
        long begin = System.nanoTime();
        assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
        peer.write(ByteBuffer.wrap(new byte[] {7}));
        assertThat(socket.getInputStream().read()).as("after the time limit").isEqualTo(7);
    }

    @Test
    void shouldEndAReadAndAWriteAtTheClose() throws Exception {
        CompletableFuture<Object> reading = new CompletableFuture<>();
        waiting(reading, () -> socket.getInputStream().read());
        CompletableFuture<Object> writing = new CompletableFuture<>();
        waiting(writing, () -> {
            socket.getOutputStream().write(new byte[10_000_000]);
            return true;
        });
        socket.close();
        assertThatThrownBy(() -> reading.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(SocketException.class);
        assertThatThrownBy(() -> writing.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(SocketException.class);
        assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
        assertThat(socket.isClosed()).isTrue();
        peer.configureBlocking(false);
        ByteBuffer rest = ByteBuffer.allocate(1 << 20);
        int count = 0;
        while (count >= 0) { // the descriptor is closed: the peer reads what was sent, and then the end
            count = peer.read(rest.clear());
        }
    }

    @Test
    void shouldStayOpenWhenItsThreadIsInterrupted() throws Exception {
        CompletableFuture<Object> result = new CompletableFuture<>();
        Thread reader = waiting(result, () -> {
            int value = socket.getInputStream().read();
            return value + (Thread.currentThread().isInterrupted() ? " interrupted" : "");
        });
        reader.interrupt();
        TimeUnit.MILLISECONDS.sleep(20);
        assertThat(result).as("an interrupt does not end the wait").isNotDone();
        peer.write(ByteBuffer.wrap(new byte[] {9}));
        assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("9 interrupted");
    }

    @Test
    void shouldReportAnAbsentServer() throws IOException {
        try (EngineSocket other = new EngineSocket(Optional.of(folder.resolve("absent")))) {
            assertThatThrownBy(() -> other.connect(UnixDomainSocketAddress.of(folder.resolve("absent"))))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("absent");
            assertThat(other.isClosed()).isTrue();
        }
    }
}
