package io.multimed.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code multimed up} as a process of its own, which can be killed. */
final class MiddlewareProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path model;
    private final Path output;
    private Process process;

    private MiddlewareProcess(Path model, Path output) {
        this.model = model;
        this.output = output;
    }

    static MiddlewareProcess start(Path model, Path output) throws IOException {
        MiddlewareProcess middleware = new MiddlewareProcess(model, output);
        middleware.start();
        return middleware;
    }

    void start() throws IOException {
        Files.deleteIfExists(output);
        process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.multimed.deploy.Multimed",
                        "up",
                        "--model",
                        model.toString(),
                        "--state",
                        output.resolveSibling("state").toString()))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        await().atMost(PATIENCE).until(() -> printed().contains("ready: ") || !process.isAlive());
        if (!process.isAlive()) {
            throw new IOException(printed());
        }
    }

    void awaitSatellites() {
        await().atMost(PATIENCE).until(() -> printed().contains("all satellites are online"));
    }

    private String printed() throws IOException {
        return Files.exists(output) ? Files.readString(output, UTF_8) : "";
    }

    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(10, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
