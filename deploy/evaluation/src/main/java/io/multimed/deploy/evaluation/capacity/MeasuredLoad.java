package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.bench.ProcessTimes;
import io.multimed.deploy.evaluation.database.MeasuredDatabase;
import io.multimed.tpcw.interaction.InteractionType;
import io.multimed.tpcw.schema.Scale;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Runs clients in this process, and relates the CPU time of each group of processes to what the clients complete. */
final class MeasuredLoad implements LoadClient.Counts {
    /** A small stack, so that many clients fit into memory. */
    private static final int STACK_BYTES = 512 << 10;

    private static final long PATIENCE_SECONDS = 60;

    private final MeasuredDatabase database;
    private final Map<Long, String> roots;
    private final LongAdder completed = new LongAdder();
    private final LongAdder updates = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final AtomicReference<@Nullable SQLException> firstError = new AtomicReference<>();

    /** What happened until a moment. */
    private record Reading(long time, long completed, long updates, long nanos, long errors, Map<String, Long> cpu) {}

    /**
     * A measured interval.
     *
     * @param response mean seconds
     * @param updates part of the interactions that change the database
     * @param cpu seconds of each group for an interaction
     */
    record Round(double throughput, double response, double updates, Map<String, Double> cpu, long errors) {}

    MeasuredLoad(MeasuredDatabase database) {
        this.database = database;
        this.roots = new LinkedHashMap<>(database.processes());
        roots.put(ProcessHandle.current().pid(), Demands.CLIENT);
    }

    /**
     * Measures rounds, which follow each other immediately.
     *
     * @throws SQLException if no interaction completes in a round; with the first error
     */
    List<Round> run(Work work, Scale scale, int clients, int warmup, int seconds, int rounds)
            throws InterruptedException, SQLException {
        CountDownLatch stop = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            LoadClient client = new LoadClient(database.target(), scale, work, i, this, stop);
            Thread thread = new Thread(null, client, "capacity-" + i, STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        try {
            TimeUnit.SECONDS.sleep(warmup);
            return measure(seconds, rounds);
        } finally {
            stop.countDown();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            for (Thread thread : threads) {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            }
        }
    }

    private List<Round> measure(int seconds, int rounds) throws InterruptedException, SQLException {
        List<Round> measured = new ArrayList<>();
        Reading before = read();
        for (int i = 0; i < rounds; i++) {
            TimeUnit.SECONDS.sleep(seconds);
            Reading after = read();
            measured.add(round(before, after));
            before = after;
        }
        return measured;
    }

    private Reading read() {
        return new Reading(
                System.nanoTime(),
                completed.sum(),
                updates.sum(),
                nanos.sum(),
                errors.sum(),
                ProcessTimes.now().micros(roots));
    }

    private Round round(Reading before, Reading after) throws SQLException {
        double done = after.completed - before.completed;
        if (done == 0) {
            throw new SQLException("no interaction has completed within a round", "57014", firstError.get());
        }
        Map<String, Double> cpu = new LinkedHashMap<>();
        after.cpu.forEach((group, micros) ->
                cpu.put(group, Math.max(0, micros - before.cpu.getOrDefault(group, 0L)) / 1e6 / done));
        return new Round(
                done * 1e9 / (after.time - before.time),
                (after.nanos - before.nanos) / 1e9 / done,
                (after.updates - before.updates) / done,
                cpu,
                after.errors - before.errors);
    }

    @Override
    public void completed(InteractionType page, long took) {
        completed.increment();
        nanos.add(took);
        if (page.writes()) {
            updates.increment();
        }
    }

    @Override
    public void failed(SQLException cause) {
        errors.increment();
        firstError.compareAndSet(null, cause);
    }
}
