// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.monitoring;

import io.multimed.server.http.HttpAnswer;
import io.multimed.server.http.HttpPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP port for monitoring systems: {@code /metrics} in Prometheus' text format, {@code /health/live} and {@code
 * /health/ready}. The answers contain no data and no statements of users.
 */
public final class MonitoringPort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MonitoringPort.class);
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

    private final HttpPort port;
    private final Health health;

    private MonitoringPort(HttpPort port, Metrics metrics, MonitoredServer observed) {
        this.port = port;
        this.health = new Health(observed);
        port.page("/metrics", () -> HttpAnswer.of(HttpAnswer.OK, METRICS, metrics.scrape()));
        port.page("/health/live", () -> answer(health.whyNotLive(), "live"));
        port.page("/health/ready", () -> answer(health.whyNotReady(), "ready"));
    }

    /**
     * Opens the port.
     *
     * @param address port 0 selects a free port
     * @throws IOException if the port is in use, or the address does not belong to this machine
     */
    public static MonitoringPort open(InetSocketAddress address, Metrics metrics, MonitoredServer observed)
            throws IOException {
        // Two threads, so that a slow reader of metrics does not delay the health.
        HttpPort port = HttpPort.create(new HttpPort.Options(address, "monitoring").threads(2), null, false);
        MonitoringPort monitoring = new MonitoringPort(port, metrics, observed);
        port.start();
        LOG.info("metrics and health on {}", port.address());
        return monitoring;
    }

    public InetSocketAddress address() {
        return port.address();
    }

    private static HttpAnswer answer(Optional<String> trouble, String fine) {
        return trouble.map(why -> HttpAnswer.text(HttpAnswer.UNAVAILABLE, why))
                .orElse(HttpAnswer.text(HttpAnswer.OK, fine));
    }

    @Override
    public void close() {
        port.close();
    }
}
