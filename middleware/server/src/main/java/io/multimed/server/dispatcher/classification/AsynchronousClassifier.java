// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.classification;

import io.multimed.engine.sql.Classification;
import io.multimed.server.dispatcher.classification.StatementClassifier.UnprovedClassification;
import io.multimed.server.node.NamedThreads;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Classifies statements without blocking an I/O thread: at once if the classification is cached, otherwise on threads
 * of its own. Thread-safe.
 */
public final class AsynchronousClassifier implements AutoCloseable {
    private static final int PROVING = 2;
    private static final int PROVED_LATER = 64;

    private final StatementClassifier classifier;

    /**
     * Parses new statements, which takes milliseconds. The queue is bounded by the clients: at most one task per client
     * waits.
     */
    private final ExecutorService preparation = Executors.newFixedThreadPool(2, new NamedThreads("preparation"));

    /**
     * Proves that queries are pure reads, which may take longer. Other statements do not wait for proofs; if too many
     * are queued, the master runs the queries without a proof.
     */
    private final ThreadPoolExecutor proving = new ThreadPoolExecutor(
            PROVING, PROVING, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(PROVED_LATER), new NamedThreads("proof"));

    public AsynchronousClassifier(StatementClassifier classifier) {
        this.classifier = classifier;
    }

    /** Classifies a statement. */
    public void classify(String sql, Consumer<ClassifiedText> next) {
        classify(
                classifier.cached(sql),
                () -> classifier.classifyWithoutProof(sql),
                () -> classifier.classify(sql),
                classification -> next.accept(new ClassifiedText(List.of(sql), classification)));
    }

    /** Returns the statement that an EXPLAIN ROUTE explains. */
    public String explained(String sql) {
        return classifier.explained(sql);
    }

    /** Classifies texts that run in sequence, as one. */
    public void classifyBatch(List<String> texts, Consumer<ClassifiedText> next) {
        classify(
                classifier.cachedBatch(texts),
                () -> classifier.classifyBatchWithoutProof(texts),
                () -> classifier.classifyBatch(texts),
                classification -> next.accept(new ClassifiedText(texts, classification)));
    }

    /** Classifies a statement on the calling thread, which may take milliseconds. */
    public Classification classifyNow(String sql) {
        return classifier.classify(sql);
    }

    private void classify(
            @Nullable Classification known,
            Supplier<UnprovedClassification> classifyWithoutProof,
            Supplier<Classification> proved,
            Consumer<Classification> next) {
        if (known != null) {
            next.accept(known);
            return;
        }
        run(() -> {
            UnprovedClassification first = classifyWithoutProof.get();
            boolean proving = first.needsProof() && prove(() -> next.accept(proved.get()));
            if (!proving) {
                next.accept(first.classification());
            }
        });
    }

    /**
     * Runs a task that is too long for an I/O thread and needs no engine, such as parsing new SQL or storing a large
     * parameter. At most one task per client waits.
     */
    public void run(Runnable task) {
        preparation.execute(task);
    }

    /** Queues a proof; returns false if too many proofs are queued. */
    private boolean prove(Runnable proof) {
        try {
            proving.execute(proof);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    @Override
    public void close() {
        preparation.shutdownNow();
        proving.shutdownNow();
    }
}
