// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.socket;

import io.multimed.benchmark.MultimedBenchmark;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One request and its response, between a client that blocks and a server with a selector: what the transport between
 * the driver and the middleware costs. The option {@code -t} of the command line sets the number of clients.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
public class RoundTripBenchmark extends MultimedBenchmark {
    /** Where the server runs. */
    public enum Place {
        THREAD,
        PROCESS
    }

    @Param
    public Transport transport = Transport.TCP_SOCKET;

    @Param
    public Place server = Place.PROCESS;

    private @Nullable Path folder;
    private @Nullable ReplyServer thread;
    private @Nullable Process process;
    private String address = "";

    @Setup
    public void start() throws IOException {
        Path created = Files.createTempDirectory("multimed-benchmark-");
        folder = created;
        if (server == Place.THREAD) {
            ServerSocketChannel listening = transport.listen(created);
            ReplyServer started = new ReplyServer(listening);
            Thread running = new Thread(started, "server");
            running.setDaemon(true);
            running.start();
            thread = started;
            address = Transport.print(listening.getLocalAddress());
        } else {
            Process started = process(created);
            process = started;
            address = new BufferedReader(new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
        }
    }

    private Process process(Path created) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ReplyServer.class.getName(),
                        transport.name(),
                        created.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @TearDown
    public void stop() throws IOException, InterruptedException {
        if (thread != null) {
            thread.close();
        }
        if (process != null) {
            process.getOutputStream().close();
            process.waitFor();
        }
        if (folder != null) {
            Files.deleteIfExists(folder.resolve("socket"));
            Files.delete(folder);
        }
    }

    /** The connection of one client. */
    @State(Scope.Thread)
    public static class Client {
        private @Nullable Connection connection;

        @Setup
        public void connect(RoundTripBenchmark benchmark) throws IOException {
            connection = benchmark.transport.connect(benchmark.address);
        }

        @TearDown
        public void close() throws IOException {
            if (connection != null) {
                connection.close();
            }
        }
    }

    @Benchmark
    public void roundTrip(Client client) throws IOException {
        if (client.connection != null) {
            client.connection.roundTrip();
        }
    }
}
