package io.multimed.tpcw.run;

import io.multimed.tpcw.browser.BrowserListener;
import io.multimed.tpcw.browser.ReportClient;
import io.multimed.tpcw.interaction.InteractionType;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Collects the events of all browsers. Thread-safe. Records response times only during measured intervals; always
 * counts errors.
 */
final class Measurements implements BrowserListener, ReportClient.ReportListener {
    private static final long LONGEST_MICROS = 600_000_000L;
    private static final int SHOWN_ERRORS = 10;

    private final Map<InteractionType, Histogram> latencies = new EnumMap<>(InteractionType.class);
    private final LongAdder completed = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder retries = new LongAdder();
    private final LongAdder reports = new LongAdder();
    private final LongAdder errors = new LongAdder();

    /** The first errors, for the report; guarded by this list. */
    private final List<String> shown = new ArrayList<>();

    private volatile boolean measuring;

    Measurements() {
        for (InteractionType type : InteractionType.values()) {
            latencies.put(type, new ConcurrentHistogram(LONGEST_MICROS, 3));
        }
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
            histogram.recordValue(Math.min(LONGEST_MICROS, took / 1_000));
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

    /** Returns the number of reports in measured intervals. */
    long reports() {
        return reports.sum();
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

    /** Returns the response times in microseconds. Read after all browsers have ended. */
    Map<InteractionType, Histogram> latencies() {
        return latencies;
    }
}
