// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.wire.MessageType;
import io.multimed.server.communication.RequestListener;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Measures the statements of all clients: their times by place, errors by SQLState, and why statements ran on the
 * master. All numbers of entries are bounded. Thread-safe; {@link #take} is called by one thread.
 */
public final class Traffic implements RequestListener {
    private static final long MAX_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int MAX_STATES = 200;
    private static final int MAX_DETOURS = 200;
    private static final int MAX_CHARACTERS = 80;
    private static final String OTHER = "other";

    private final int master;
    private final Map<Place, Recorder> times = new EnumMap<>(Place.class);
    private final Map<Route.Reason, LongAdder> onMaster = new EnumMap<>(Route.Reason.class);
    private final Map<Detour, LongAdder> detours = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> errors = new ConcurrentHashMap<>();
    private final LongAdder errorCount = new LongAdder();
    private final LongAdder waits = new LongAdder();
    private final LongAdder waitNanos = new LongAdder();

    /** Where a statement was answered. */
    enum Place {
        SATELLITE,
        CACHE,
        MASTER
    }

    /** Why a statement ran on the master, with the decisive function, table or setting. */
    private record Detour(Route.Reason reason, String detail) {}

    /** A reason why statements ran on the master, and how many did. */
    record DetourCount(String reason, String detail, long count) {}

    /**
     * What has happened since the last interval.
     *
     * @param onMaster statements on the master by the name of their reason; only those that occurred
     * @param waits reads that have waited for freshness
     */
    record Interval(Map<Place, Histogram> times, Map<String, Long> onMaster, long errors, long waits, long waitNanos) {}

    /** @param master index of the master among the nodes */
    public Traffic(int master) {
        this.master = master;
        for (Place place : Place.values()) {
            times.put(place, new Recorder(MAX_NANOS, 2));
        }
        for (Route.Reason reason : Route.Reason.values()) {
            onMaster.put(reason, new LongAdder());
        }
    }

    @Override
    public void answered(String user, MessageType request, Response response, long nanos) {
        if (response instanceof ErrorReport report) {
            errorCount.increment();
            bounded(errors, report.sqlState(), MAX_STATES, OTHER).increment();
        }
        SessionStatus status = response.status();
        boolean isStatement = request == MessageType.EXECUTE || request == MessageType.EXECUTE_BATCH;
        Place place = status == null ? null : place(status);
        if (status == null || place == null || !isStatement) {
            return;
        }
        of(times, place).recordValue(Math.min(nanos, MAX_NANOS));
        if (place == Place.MASTER && request == MessageType.EXECUTE) {
            Route route = status.route();
            of(onMaster, route.reason()).increment();
            if (!route.detail().isEmpty()) {
                Detour detour = new Detour(route.reason(), shortened(route.detail()));
                bounded(detours, detour, MAX_DETOURS, new Detour(route.reason(), OTHER))
                        .increment();
            }
        }
    }

    /** @param nanos time that a read has waited for freshness; 0 if it has not waited */
    public void freshnessWait(long nanos) {
        if (nanos > 0) {
            waits.increment();
            waitNanos.add(nanos);
        }
    }

    private @Nullable Place place(SessionStatus status) {
        if (status.route().reason() == Route.Reason.CACHED) {
            return Place.CACHE;
        }
        if (status.node() == SessionStatus.NO_NODE) {
            return null;
        }
        return status.node() == master ? Place.MASTER : Place.SATELLITE;
    }

    private static String shortened(String detail) {
        return detail.length() <= MAX_CHARACTERS ? detail : detail.substring(0, MAX_CHARACTERS) + "…";
    }

    private static <K> LongAdder bounded(Map<K, LongAdder> counters, K key, int most, K other) {
        LongAdder known = counters.get(key);
        return known != null
                ? known
                : counters.computeIfAbsent(counters.size() < most ? key : other, unused -> new LongAdder());
    }

    private static <K extends Enum<K>, V> V of(Map<K, V> complete, K key) {
        V value = complete.get(key);
        if (value == null) {
            throw new IllegalStateException("no entry for " + key);
        }
        return value;
    }

    /** Ends the interval, and returns what has happened in it. */
    Interval take() {
        Map<Place, Histogram> taken = new EnumMap<>(Place.class);
        times.forEach((place, recorder) -> taken.put(place, recorder.getIntervalHistogram()));
        Map<String, Long> reasons = new TreeMap<>();
        onMaster.forEach((reason, count) -> {
            long since = count.sumThenReset();
            if (since > 0) {
                reasons.put(reason.name(), since);
            }
        });
        return new Interval(taken, reasons, errorCount.sumThenReset(), waits.sumThenReset(), waitNanos.sumThenReset());
    }

    /** Returns the most frequent functions, tables and settings for which statements ran on the master. */
    List<DetourCount> detours(int most) {
        return detours.entrySet().stream()
                .map(each -> new DetourCount(
                        text(each.getKey().reason()),
                        each.getKey().detail(),
                        each.getValue().sum()))
                .sorted(Comparator.comparingLong(DetourCount::count).reversed())
                .limit(most)
                .toList();
    }

    /** Returns the errors since the start by SQLState. */
    Map<String, Long> errors() {
        Map<String, Long> sums = new TreeMap<>();
        errors.forEach((state, count) -> sums.put(state, count.sum()));
        return sums;
    }

    /** Returns the texts of all reasons by their names. */
    static Map<String, String> reasons() {
        Map<String, String> texts = new TreeMap<>();
        for (Route.Reason reason : Route.Reason.values()) {
            texts.put(reason.name(), text(reason));
        }
        return texts;
    }

    private static String text(Route.Reason reason) {
        return new Route(reason, "").toString();
    }
}
