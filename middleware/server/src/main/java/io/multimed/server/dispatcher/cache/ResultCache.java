// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.ReadFootprint;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.value.Parameter;
import io.multimed.server.dispatcher.statement.StatementRunner.Encoded;
import io.multimed.server.dispatcher.statement.TimeIndependentParameters;
import io.multimed.server.propagation.freshness.Dependencies;
import io.multimed.server.propagation.freshness.ReadScope;
import io.multimed.server.propagation.freshness.TableScns;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps results of reads, and answers a read with a kept result exactly if an engine would return the same now.
 *
 * <p>A result is kept with the SCN that it includes, and with the parts of tables on which it depends. The publisher
 * records the SCN of each change of such a part before it publishes the change. A kept result therefore holds if no
 * part has a later SCN than the result; nothing is evicted by a commit. Bounded in bytes. Thread-safe.
 */
public final class ResultCache {
    /** A single result may take this part of the cache. */
    private static final int MAX_PART = 64;

    /** Approximate size of an entry without its rows, columns and key. */
    private static final int OVERHEAD = 400;

    private static final int BYTES_PER_COLUMN = 200;

    private static final int MAX_STATEMENTS = 1_000;

    private static final Scn LATEST = new Scn(Long.MAX_VALUE);

    private final TableScns scns;
    private final LongSupplier settings;
    private final long maxBytes;
    private final Replacement<CacheableRead.Key, Entry> entries;

    /** The reads that run now, at most one per client. */
    private final Map<CacheableRead.Key, RunningRead> running = new ConcurrentHashMap<>();

    /** Of the statements that were executed most often lately. */
    private final Cache<String, StatementStatistics> statements =
            Caffeine.newBuilder().maximumSize(MAX_STATEMENTS).build();

    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder outdated = new LongAdder();
    private final LongAdder awaited = new LongAdder();
    private final LongAdder bypassed = new LongAdder();

    /**
     * A kept result.
     *
     * @param asOf the result includes all changes up to this SCN that matter to it
     */
    private record Entry(Encoded result, Dependencies dependencies, Scn asOf, StatementStatistics statement) {}

    /**
     * The state of the cache for display.
     *
     * @param hits number of reads that were answered from the cache
     * @param misses number of reads without a kept result
     * @param outdated number of reads whose kept result was no longer valid
     * @param awaited number of times that a read has waited for an equal one
     * @param bypassed number of reads of statements whose results were not worth keeping
     */
    public record Statistics(
            long hits,
            long misses,
            long outdated,
            long awaited,
            long bypassed,
            long entries,
            long bytes,
            long maxBytes) {}

    /**
     * What the cache has done for one statement.
     *
     * @param micros mean time without a kept result, from the request to the result
     * @param savedMillis time that all hits would have taken without the cache
     * @param bypassed number of executions without the cache, because results were almost never used
     * @param paused number of executions before the cache tries again; 0 if the statement uses the cache
     */
    public record StatementSummary(
            String sql,
            long hits,
            long misses,
            long outdated,
            long micros,
            long savedMillis,
            long bypassed,
            long paused) {
        /** Returns the same under another text. */
        public StatementSummary withText(String text) {
            return new StatementSummary(text, hits, misses, outdated, micros, savedMillis, bypassed, paused);
        }

        /** Returns whether an execution has looked for a result: EXPLAIN ROUTE does not. */
        boolean hasRun() {
            return hits + misses + outdated > 0;
        }
    }

    /**
     * @param maxBytes 0: nothing is kept
     * @param scns the recorded changes
     * @param settings returns a number that changes with the settings of the sessions in which reads run
     */
    public ResultCache(long maxBytes, TableScns scns, LongSupplier settings) {
        this.maxBytes = maxBytes;
        this.scns = scns;
        this.settings = settings;
        this.entries = new CaffeineReplacement<>(maxBytes, entry -> entry.statement.ended());
    }

    private static int bytes(Encoded result) {
        return result.bytes() + BYTES_PER_COLUMN * result.columns().size();
    }

    /**
     * Returns the execution of a pure read that stands alone as one whose result may be kept; null if it may not, or if
     * it is not worth it. From now on, changes are recorded for the read.
     *
     * @param zone the time zone of the client's session
     */
    public @Nullable CacheableRead of(
            Classification classification, CachedText text, List<Parameter> parameters, String zone) {
        ReadFootprint footprint = classification.footprint();
        if (maxBytes == 0
                || footprint == null
                || !classification.hints().cached()
                || classification.hints().node() != null
                || !TimeIndependentParameters.areAll(parameters)) {
            return null;
        }
        StatementStatistics statement = statements.getIfPresent(text.sql());
        if (statement != null && !statement.admits()) {
            bypassed.increment();
            return null;
        }
        ReadScope scope = scope(footprint, classification, text);
        if (scope == null) {
            return null;
        }
        return new CacheableRead(
                this,
                new CacheableRead.Key(text.sql(), parameters, zone, settings.getAsLong()),
                scope,
                classification.hints().freshness() != null,
                statement == null ? statements.get(text.sql(), StatementStatistics::new) : statement);
    }

    /**
     * Returns on what the result of a pure read depends, whether or not results are kept; null if that is unknown. From
     * now on, changes are recorded for the read.
     */
    public @Nullable Dependencies dependencies(
            Classification classification, CachedText text, List<Parameter> parameters) {
        ReadFootprint footprint = classification.footprint();
        ReadScope scope = footprint == null || !TimeIndependentParameters.areAll(parameters)
                ? null
                : scope(footprint, classification, text);
        return scope == null ? null : scope.dependencies(CacheableRead.values(parameters));
    }

    /** Returns what a statement reads under the present schema; null if that is unknown. */
    private @Nullable ReadScope scope(ReadFootprint footprint, Classification classification, CachedText text) {
        ReadScope before = text.scope();
        ReadScope scope = scns.scope(before, footprint, classification.tables());
        if (scope == null) {
            return null;
        }
        if (!scope.equals(before)) {
            text.store(scope);
        }
        return scope.isKnown() ? scope : null;
    }

    @Nullable
    Encoded find(CacheableRead.Key key, Scn acceptable, StatementStatistics statement) {
        return find(key, acceptable, LATEST, statement);
    }

    /** As {@link CacheableRead#findIn}: nothing that matters has changed after the result, and after the snapshot. */
    @Nullable
    Encoded findIn(CacheableRead.Key key, Scn snapshot, StatementStatistics statement) {
        return find(key, LATEST, snapshot, statement);
    }

    /** @param acceptable results that include this SCN are sufficient, although something may have changed */
    private @Nullable Encoded find(CacheableRead.Key key, Scn acceptable, Scn snapshot, StatementStatistics statement) {
        Entry entry = entries.get(key);
        if (entry == null) {
            misses.increment();
            statement.missed();
            return null;
        }
        Scn since = entry.asOf.isAfter(snapshot) ? snapshot : entry.asOf;
        if (!scns.holds(entry.dependencies, since) && !isAcceptable(entry, acceptable)) {
            outdated.increment();
            statement.outdated();
            return null;
        }
        hits.increment();
        statement.hit();
        return entry.result;
    }

    /** Returns whether nothing has changed after an SCN that matters to a result. */
    public boolean holds(Dependencies dependencies, Scn since) {
        return scns.holds(dependencies, since);
    }

    /** A result from before a change of the schema is not acceptable: its columns may be others now. */
    private boolean isAcceptable(Entry entry, Scn acceptable) {
        return !acceptable.isAfter(entry.asOf) && scns.isOfPresentSchema(entry.dependencies);
    }

    /** Returns a result that holds, for a read that is counted already; null if there is none. */
    @Nullable
    Encoded holding(CacheableRead.Key key) {
        Entry entry = entries.get(key);
        return entry != null && scns.holds(entry.dependencies, entry.asOf) ? entry.result : null;
    }

    String state(CacheableRead.Key key) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return "no result is kept";
        }
        return "%s result of SCN %d is kept"
                .formatted(scns.holds(entry.dependencies, entry.asOf) ? "a valid" : "an outdated", entry.asOf.value());
    }

    /** @param evenIfBehind whether the result is kept although something may have changed since */
    void keep(
            CacheableRead.Key key,
            Encoded result,
            Dependencies dependencies,
            Scn asOf,
            boolean evenIfBehind,
            StatementStatistics statement) {
        if (bytes(result) <= maxBytes / MAX_PART && (evenIfBehind || scns.holds(dependencies, asOf))) {
            Entry entry = new Entry(result, dependencies, asOf, statement);
            Entry before = entries.put(key, entry, OVERHEAD + key.bytes() + bytes(result));
            if (before != null) {
                statement.ended();
            }
        } else {
            statement.ended();
        }
    }

    /** Records that a read runs, unless an equal one runs already, which is returned. */
    @Nullable
    RunningRead running(CacheableRead.Key key, RunningRead read) {
        return running.putIfAbsent(key, read);
    }

    /** Records that a read waits for an equal one. */
    void awaits() {
        awaited.increment();
    }

    void ended(CacheableRead.Key key, RunningRead read) {
        running.remove(key, read);
    }

    /**
     * Returns the statements for which the cache has saved the most time, in descending order, followed by those that
     * bypass the cache now, in descending order of their bypassed executions.
     *
     * @param limit number of statements of each kind
     */
    public List<StatementSummary> statements(int limit) {
        List<StatementSummary> all = statements.asMap().values().stream()
                .map(StatementStatistics::now)
                .toList();
        Stream<StatementSummary> best = all.stream()
                .filter(StatementSummary::hasRun)
                .sorted(Comparator.comparingLong(StatementSummary::savedMillis)
                        .thenComparingLong(StatementSummary::hits)
                        .reversed())
                .limit(limit);
        Stream<StatementSummary> paused = all.stream()
                .filter(each -> each.paused() > 0)
                .sorted(Comparator.comparingLong(StatementSummary::bypassed).reversed())
                .limit(limit);
        return Stream.concat(best, paused).distinct().toList();
    }

    public Statistics statistics() {
        return new Statistics(
                hits.sum(),
                misses.sum(),
                outdated.sum(),
                awaited.sum(),
                bypassed.sum(),
                entries.size(),
                entries.weight(),
                maxBytes);
    }
}
