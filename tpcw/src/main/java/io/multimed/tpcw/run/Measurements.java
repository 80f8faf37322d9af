// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.run;

import io.multimed.tpcw.browser.BrowserListener;
import io.multimed.tpcw.browser.ReportClient;
import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.run.RunReport.Latency;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Collects the events of all browsers. Thread-safe. Records response times only during measured intervals; always
 * counts errors.
 */
final class Measurements implements BrowserListener, ReportClient.ReportListener {
    private static final long MAX_MICROS = 600_000_000L;
    private static final int SHOWN_ERRORS = 10;

    /** Response times of this round, and those of all earlier rounds, in microseconds. */
    private final Map<InteractionType, Histogram> latencies = histograms();

    private final Map<InteractionType, Histogram> earlier = histograms();
    private final LongAdder completed = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder retries = new LongAdder();
    private final LongAdder reports = new LongAdder();
    private long earlierReports;
    private final LongAdder errors = new LongAdder();

    /** The first errors, for the report; guarded by this list. */
    private final List<String> shown = new ArrayList<>();

    private volatile boolean measuring;

    private static Map<InteractionType, Histogram> histograms() {
        Map<InteractionType, Histogram> histograms = new EnumMap<>(InteractionType.class);
        for (InteractionType type : InteractionType.values()) {
            histograms.put(type, new ConcurrentHistogram(MAX_MICROS, 3));
        }
        return histograms;
    }

    /** Begins or ends a measured interval. */
    void measure(boolean on) {
        measuring = on;
    }

    @Override
    public void completed(InteractionType type, long took) {
        completed.increment();
        nanos.add(took);
        Histogram histogram = latencies.get(type);
        if (measuring && histogram != null) {
            histogram.recordValue(Math.min(MAX_MICROS, took / 1_000));
        }
    }

    @Override
    public void retried(InteractionType type) {
        retries.increment();
    }

    @Override
    public void failed(InteractionType type, SQLException cause) {
        failed(type.title(), cause);
    }

    @Override
    public void reported() {
        if (measuring) {
            reports.increment();
        }
    }

    @Override
    public void failed(SQLException cause) {
        failed("report", cause);
    }

    private void failed(String work, SQLException cause) {
        errors.increment();
        synchronized (shown) {
            if (shown.size() < SHOWN_ERRORS) {
                shown.add("%s: %s (SQLState %s)".formatted(work, cause.getMessage(), cause.getSQLState()));
            }
        }
    }

    /**
     * Returns the results of the round whose measured interval has ended, and begins the next one. Call after the
     * browsers of the round have ended.
     *
     * @param wips web interactions per second of the interval
     * @param seconds length of the interval
     */
    RunReport.Round endRound(double wips, double seconds) {
        Histogram all = new Histogram(MAX_MICROS, 3);
        latencies.values().forEach(all::add);
        RunReport.Round round = new RunReport.Round(wips, reports.sum() / seconds, Latency.of(all), byType(latencies));
        latencies.forEach((type, histogram) -> {
            Objects.requireNonNull(earlier.get(type)).add(histogram);
            histogram.reset();
        });
        earlierReports += reports.sumThenReset();
        return round;
    }

    private static Map<InteractionType, Latency> byType(Map<InteractionType, Histogram> histograms) {
        Map<InteractionType, Latency> latencies = new EnumMap<>(InteractionType.class);
        histograms.forEach((type, histogram) -> latencies.put(type, Latency.of(histogram)));
        return latencies;
    }

    /** Returns the number of reports in measured intervals of all rounds that have ended. */
    long reports() {
        return earlierReports;
    }

    /** Returns the number of interactions since the first warm-up, for rates between two calls. */
    long completedSoFar() {
        return completed.sum();
    }

    long nanosSoFar() {
        return nanos.sum();
    }

    long errors() {
        return errors.sum();
    }

    long retries() {
        return retries.sum();
    }

    /** Returns a copy of the first errors; at most ten are kept, however many occur. */
    List<String> shownErrors() {
        synchronized (shown) {
            return List.copyOf(shown);
        }
    }

    /** Returns the response times of all rounds that have ended. */
    Map<InteractionType, Latency> latencies() {
        return byType(earlier);
    }
}
