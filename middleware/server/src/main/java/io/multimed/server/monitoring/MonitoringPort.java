package io.multimed.server.monitoring;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.multimed.server.node.NamedThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP port for monitoring systems: {@code /metrics} in Prometheus' text format, {@code /health/live} and {@code
 * /health/ready}. The answers contain no data and no statements of users.
 */
public final class MonitoringPort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MonitoringPort.class);
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;
    private static final int UNAVAILABLE = 503;

    /** Requests beyond this number are refused. */
    private static final int WAITING = 20;

    private final HttpServer server;

    /** Two threads, so that a slow reader of metrics does not delay the health. */
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            2, 2, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING), new NamedThreads("monitoring"));

    private final MonitoredServer observed;

    /** An answer: the status code of HTTP, and a text. */
    private record Answer(int code, String text) {}

    private interface Page {
        Answer answer();
    }

    private MonitoringPort(HttpServer server, Metrics metrics, MonitoredServer observed) {
        this.server = server;
        this.observed = observed;
        server.setExecutor(threads);
        page("/metrics", () -> new Answer(OK, metrics.scrape()));
        page("/health/live", this::live);
        page("/health/ready", this::ready);
    }

    /**
     * Opens the port.
     *
     * @param address port 0 selects a free port
     * @throws IOException if the port is in use, or the address does not belong to this machine
     */
    public static MonitoringPort open(InetSocketAddress address, Metrics metrics, MonitoredServer observed)
            throws IOException {
        HttpServer server;
        try {
            server = HttpServer.create(address, WAITING);
        } catch (IOException e) {
            throw new IOException(
                    "cannot listen on %s:%d (monitoring.port): %s; choose another port, or stop the process that listens there"
                            .formatted(address.getHostString(), address.getPort(), e.getMessage()),
                    e);
        }
        MonitoringPort port = new MonitoringPort(server, metrics, observed);
        server.start();
        LOG.info("metrics and health on {}", server.getAddress());
        return port;
    }

    public InetSocketAddress address() {
        return server.getAddress();
    }

    private void page(String path, Page page) {
        server.createContext(path, exchange -> {
            try (exchange) {
                if (!exchange.getRequestURI().getPath().equals(path)) {
                    send(exchange, new Answer(NOT_FOUND, "there is no such page\n"));
                } else if (!exchange.getRequestMethod().equals("GET")) {
                    send(exchange, new Answer(NOT_ALLOWED, "use GET\n"));
                } else {
                    send(exchange, page.answer());
                }
            } catch (RuntimeException e) {
                LOG.error("{} could not be answered", path, e);
            }
        });
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        byte[] bytes = answer.text.getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
        exchange.sendResponseHeaders(answer.code, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** A process that is not live must be started again. */
    private Answer live() {
        return observed.isAlive().getAsBoolean()
                ? new Answer(OK, "live\n")
                : new Answer(UNAVAILABLE, "a thread on which commits or connections depend has died\n");
    }

    /** A middleware that is not ready should receive no new clients. */
    private Answer ready() {
        if (!observed.isAlive().getAsBoolean()) {
            return live();
        }
        if (observed.isStopping().getAsBoolean()) {
            return new Answer(UNAVAILABLE, "the middleware is shutting down\n");
        }
        if (!observed.holdsMaster().getAsBoolean()) {
            return new Answer(UNAVAILABLE, "the master cannot be reached, or another middleware has taken it over\n");
        }
        boolean isOnline = observed.status().get().nodes().stream()
                .anyMatch(node -> node.role().equals("master") && node.state().equals("ONLINE"));
        return isOnline ? new Answer(OK, "ready\n") : new Answer(UNAVAILABLE, "the master is not online\n");
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
