// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.monitoring;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.wire.MessageType;
import io.multimed.server.communication.RequestListener;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Measures the requests of all clients: time by kind, node and outcome; errors by SQLState; reasons of the choice of
 * the node; requests by user. The number of values of each label is bounded: further ones count as {@code other}.
 * Thread-safe.
 */
final class RequestMetrics implements RequestListener {
    private static final String OTHER = "other";
    private static final int MAX_STATES = 200;
    private static final int MAX_USERS = 100;

    /** Upper limits of the histogram, from a hit in the result cache to a report. */
    static final Duration[] BUCKETS = {
        Duration.ofNanos(50_000),
        Duration.ofNanos(100_000),
        Duration.ofNanos(250_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofSeconds(1),
        Duration.ofMillis(2_500),
        Duration.ofSeconds(10),
        Duration.ofSeconds(60)
    };

    private final MeterRegistry registry;
    private final Supplier<List<String>> nodes;
    private final Map<Kind, Timer> timers = new ConcurrentHashMap<>();
    private final Map<String, Counter> errors = new ConcurrentHashMap<>();
    private final Map<String, Counter> users = new ConcurrentHashMap<>();
    private final Map<String, Counter> userErrors = new ConcurrentHashMap<>();
    private final Map<Route.Reason, Counter> reasons = new ConcurrentHashMap<>();

    /** @param node the index of the node; negative if there is none */
    private record Kind(MessageType request, int node, boolean cached, boolean failed) {}

    /** @param nodes returns the names of all present and former nodes; the index is a node's ordinal */
    RequestMetrics(MeterRegistry registry, Supplier<List<String>> nodes) {
        this.registry = registry;
        this.nodes = nodes;
    }

    @Override
    public void answered(String user, MessageType request, Response response, long nanos) {
        SessionStatus status = response.status();
        int node = status == null ? SessionStatus.NO_NODE : status.node();
        boolean cached = status != null && status.route().reason() == Route.Reason.CACHED;
        boolean failed = response instanceof ErrorReport;
        timers.computeIfAbsent(new Kind(request, node, cached, failed), this::timer)
                .record(nanos, TimeUnit.NANOSECONDS);
        if (response instanceof ErrorReport report) {
            bounded(errors, report.sqlState(), MAX_STATES, this::errorCounter).increment();
        }
        if (!user.isEmpty()) {
            bounded(users, user, MAX_USERS, this::userCounter).increment();
            if (failed) {
                bounded(userErrors, user, MAX_USERS, this::userErrorCounter).increment();
            }
        }
        if (status != null && request == MessageType.EXECUTE) {
            reasons.computeIfAbsent(status.route().reason(), this::reasonCounter)
                    .increment();
        }
    }

    private static Counter bounded(
            Map<String, Counter> counters, String value, int most, Function<String, Counter> create) {
        Counter known = counters.get(value);
        return known != null ? known : counters.computeIfAbsent(counters.size() < most ? value : OTHER, create);
    }

    private Timer timer(Kind kind) {
        return Timer.builder("multimed.requests")
                .description("Time from a request's turn to its response")
                .tag("request", lower(kind.request))
                .tag("node", kind.cached ? "cache" : node(kind.node))
                .tag("outcome", kind.failed ? "error" : "success")
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    private String node(int index) {
        List<String> names = nodes.get();
        return index >= 0 && index < names.size() ? names.get(index) : "none";
    }

    private Counter errorCounter(String state) {
        return Counter.builder("multimed.errors")
                .description("Errors that clients have received, by SQLState")
                .tag("sqlstate", state)
                .register(registry);
    }

    private Counter userCounter(String user) {
        return Counter.builder("multimed.user.requests")
                .description("Requests of each user")
                .tag("user", user)
                .register(registry);
    }

    private Counter userErrorCounter(String user) {
        return Counter.builder("multimed.user.errors")
                .description("Requests of each user that have failed")
                .tag("user", user)
                .register(registry);
    }

    private Counter reasonCounter(Route.Reason reason) {
        return Counter.builder("multimed.routes")
                .description("Statements by the reason for the choice of their node")
                .tag("reason", lower(reason))
                .register(registry);
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
