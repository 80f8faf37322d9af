// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import io.multimed.engine.Engines;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.SqlReader;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.value.Parameter;
import io.multimed.server.dispatcher.cache.CacheableRead;
import io.multimed.server.dispatcher.cache.CachedText;
import io.multimed.server.dispatcher.cache.ResultCache;
import io.multimed.server.dispatcher.statement.StatementRunner.Encoded;
import io.multimed.server.propagation.commit.DirectPublisher;
import java.nio.charset.StandardCharsets;
import java.sql.Types;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the publisher, the stamps and the cache over a few rows in memory, and compares each kept result with the result
 * at the SCN that the read needs. Reads also come while the publisher records a change, and while the result of an
 * earlier read is on its way. Nothing depends on time: other threads work only while the simulation waits for them.
 */
public final class CacheSimulation implements Supplier<List<String>> {
    private static final int COMMITS = 1_500;
    private static final int READS = 8;
    private static final long CACHE_BYTES = 16 << 20;

    private final Random random = new Random(1);
    private final SimulatedMaster master = new SimulatedMaster(random);
    private final DirectPublisher publisher = new DirectPublisher(this::rowValues);
    private final TableScns scns = publisher.publisher().tableScns();
    private final ResultCache cache = new ResultCache(CACHE_BYTES, scns, () -> 0);
    private final Map<String, Text> texts = new HashMap<>();

    /** The texts whose shapes are registered under the present schema. */
    private final Set<String> registered = new HashSet<>();

    private long snapshot;
    private boolean recording;
    private int reads;
    private int hits;
    private @Nullable String stale;

    /** A statement, and what the cache knows of it. */
    private static final class Text extends CachedText {
        private final Classification classification;

        Text(String sql) {
            super(sql);
            SqlReader reader = Engines.of("postgresql").dialect().reader();
            ReadProof proof =
                    new ReadProof(reader.readRules(), new SchemaFacts(Set.of("count"), Set.of(), false, false));
            classification = reader.classify(reader.read(sql), () -> proof);
        }
    }

    /** An execution of a query. */
    private record Execution(SimulatedRows.Query query, int parameter) {
        String answer(SimulatedRows rows) {
            return query.answer().of(rows, String.valueOf(parameter));
        }
    }

    /** Returns the first stale answer, or nothing, behind the numbers of reads and of kept results among them. */
    @Override
    public List<String> get() {
        try (DirectPublisher open = publisher) {
            install();
            for (int i = 0; i < COMMITS && stale == null; i++) {
                master.commit(open);
                if (master.takeChangedSchema()) {
                    registered.clear();
                    readAll();
                    install();
                }
                readAll();
            }
        }
        String found = stale;
        return found == null ? List.of("" + reads, "" + hits) : List.of("" + reads, "" + hits, found);
    }

    /** Knows the names of the tables again. */
    private void install() {
        try {
            scns.discard();
            scns.needed(Set.of(), Set.of(), publisher.publisher().published()); // asks for them
            scns.install(SimulatedRows.NAMES, scns.awaitQuestion());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void readAll() {
        if (random.nextInt(5) == 0) {
            snapshot = published();
        }
        for (int i = 0; i < READS; i++) {
            switch (random.nextInt(12)) {
                case 0 -> readSlowly(any());
                case 1 -> readTogether(any());
                case 2, 3, 4 -> readInSnapshot(any());
                default -> read(any());
            }
        }
    }

    private Execution any() {
        List<SimulatedRows.Query> all = SimulatedRows.QUERIES;
        return new Execution(all.get(random.nextInt(all.size())), random.nextInt(3));
    }

    private long published() {
        return publisher.publisher().published().value();
    }

    /** Called by the publisher for each row that it records: another client reads at this moment. */
    private List<@Nullable String> rowValues(String row) {
        if (!recording) {
            recording = true;
            for (int i = 0; i < READS; i++) {
                Execution execution = any();
                if (registered.contains(execution.query.sql())) { // others must wait
                    read(execution);
                }
            }
            recording = false;
        }
        return SimulatedRows.values(row);
    }

    private @Nullable CacheableRead begin(Execution execution) {
        Text text = texts.computeIfAbsent(execution.query.sql(), Text::new);
        CacheableRead read =
                cache.of(text.classification, text, List.of(new Parameter(Types.INTEGER, execution.parameter)), "");
        if (read != null) {
            registered.add(text.sql());
        }
        return read;
    }

    private static Encoded encoded(String answer) {
        return new Encoded(List.of(), new Rows(1, true, answer.getBytes(StandardCharsets.UTF_8)));
    }

    private static String decoded(Encoded result) {
        return new String(result.rows().data(), StandardCharsets.UTF_8);
    }

    private void read(Execution execution) {
        long needed = published();
        CacheableRead read = begin(execution);
        if (read != null) {
            Encoded kept = read.find(new Scn(Long.MAX_VALUE));
            if (kept == null) {
                read.keep(encoded(execution.answer(master.at(needed))), new Scn(needed));
            }
            compare(execution, kept, needed);
        }
    }

    /** Keeps a result that an engine has computed before others committed. */
    private void readSlowly(Execution execution) {
        long needed = published();
        String answer = execution.answer(master.at(needed));
        boolean early = random.nextBoolean();
        CacheableRead begun = early ? begin(execution) : null;
        commitQuietly();
        CacheableRead read = early ? begun : begin(execution);
        if (read != null) {
            read.keep(encoded(answer), new Scn(needed));
        }
    }

    private void commitQuietly() {
        master.commit(publisher);
        if (master.takeChangedSchema()) {
            registered.clear();
            install();
        }
    }

    private void readInSnapshot(Execution execution) {
        CacheableRead read = begin(execution);
        if (read != null) {
            compare(execution, read.findIn(new Scn(snapshot)), snapshot);
        }
    }

    /** A read waits for an equal one that began before a commit. */
    private void readTogether(Execution execution) {
        long needed = published();
        CacheableRead first = begin(execution);
        if (first == null || first.await(new Waiter(execution, needed)) != null) {
            return;
        }
        Encoded result = encoded(execution.answer(master.at(needed)));
        commitQuietly();
        CacheableRead second = begin(execution);
        if (second != null) {
            BooleanSupplier wait = second.await(new Waiter(execution, published()));
            if (wait == null) {
                second.ended();
            }
        }
        first.keep(result, new Scn(needed));
        first.ended();
    }

    /** Compares what it receives. */
    private final class Waiter implements CacheableRead.Waiter {
        private final Execution execution;
        private final long needed;

        Waiter(Execution execution, long needed) {
            this.execution = execution;
            this.needed = needed;
        }

        @Override
        public Scn needed() {
            return new Scn(needed);
        }

        @Override
        public void ended(@Nullable Encoded result) {
            compare(execution, result, needed);
        }
    }

    private void compare(Execution execution, @Nullable Encoded kept, long needed) {
        reads++;
        if (kept != null) {
            hits++;
            String expected = execution.answer(master.at(needed));
            if (stale == null && !decoded(kept).equals(expected)) {
                stale = "at SCN %d, %s with %d: %s instead of %s"
                        .formatted(needed, execution.query.sql(), execution.parameter, decoded(kept), expected);
            }
        }
    }
}
