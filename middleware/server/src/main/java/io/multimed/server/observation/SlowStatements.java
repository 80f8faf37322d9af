// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.observation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The latest slow statements, and the number of all of them since the start. Thread-safe. */
public final class SlowStatements {
    private static final Logger LOG = LoggerFactory.getLogger(SlowStatements.class);

    /** Number of statements that are kept; an older one is forgotten. */
    static final int MAX_STATEMENTS = 100;

    private final boolean writes;

    /** Protects {@link #latest}; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final ArrayDeque<StatementReport> latest = new ArrayDeque<>();

    /** By the phase that took longest. */
    private final Map<Phase, LongAdder> counts =
            Stream.of(Phase.values()).collect(Collectors.toUnmodifiableMap(phase -> phase, phase -> new LongAdder()));

    /** @param writes whether the log contains a line for each statement */
    SlowStatements(boolean writes) {
        this.writes = writes;
    }

    void add(StatementReport statement) {
        lock.lock();
        try {
            latest.add(statement);
            if (latest.size() > MAX_STATEMENTS) {
                latest.remove();
            }
        } finally {
            lock.unlock();
        }
        adder(statement.longest()).increment();
        if (writes) {
            write(statement);
        }
    }

    /** Writes everything into the message, and again as separate values for a log in JSON. */
    private static void write(StatementReport slow) {
        String phases = Stream.of(Phase.values())
                .filter(phase -> slow.millis(phase) > 0)
                .map(phase -> phase.label() + " " + slow.millis(phase))
                .collect(Collectors.joining(", "));
        LOG.atWarn()
                .addKeyValue("user", slow.user())
                .addKeyValue("address", slow.address())
                .addKeyValue("node", slow.node())
                .addKeyValue("route", slow.route())
                .addKeyValue("millis", slow.millis())
                .log(
                        "a statement of {} at {} took {} ms on {} ({}; {}){}: {}",
                        slow.user(),
                        slow.address(),
                        slow.millis(),
                        slow.node().isEmpty() ? "no node" : slow.node(),
                        slow.route(),
                        phases,
                        slow.sqlState().isEmpty() ? "" : " and failed with " + slow.sqlState(),
                        slow.statement());
    }

    /** Returns the kept statements, the latest first. */
    public List<StatementReport> latest() {
        lock.lock();
        try {
            List<StatementReport> copy = new ArrayList<>(latest);
            Collections.reverse(copy);
            return copy;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of slow statements since the start for which this phase took longest. */
    public long count(Phase longest) {
        return adder(longest).sum();
    }

    private LongAdder adder(Phase phase) {
        return Objects.requireNonNull(counts.get(phase));
    }
}
