// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates daemon threads whose names identify their owner in a thread dump. Logs unexpected failures, and reports them
 * if clients may wait for the task.
 */
public final class NamedThreads implements ThreadFactory {
    private static final Logger LOG = LoggerFactory.getLogger(NamedThreads.class);

    private final String name;
    private final Consumer<Throwable> failed;
    private final AtomicInteger count = new AtomicInteger();

    /** Creates threads whose failure leaves no client waiting. */
    public NamedThreads(String name) {
        this(name, failure -> {});
    }

    /** @param failed receives unexpected failures, on the failed thread */
    public NamedThreads(String name, Consumer<Throwable> failed) {
        this.name = name;
        this.failed = failed;
    }

    /**
     * Creates threads whose tasks clients wait for: an uncaught error of the virtual machine counts as the failure of a
     * critical thread.
     */
    public NamedThreads(String name, CriticalThreads criticalThreads) {
        this(name, failure -> {
            if (failure instanceof Error) {
                criticalThreads.failed(name, failure);
            }
        });
    }

    @Override
    public Thread newThread(Runnable work) {
        Thread thread = new Thread(work, name + "-" + count.incrementAndGet());
        thread.setDaemon(true);
        thread.setContextClassLoader(NamedThreads.class.getClassLoader()); // not that of an application that calls
        thread.setUncaughtExceptionHandler((on, failure) -> failed(on, failure));
        return thread;
    }

    /**
     * Creates a pool in which the thread that became idle last runs the next task. Few threads are then in use when few
     * tasks run at the same time, each with a connection whose caches are warm.
     *
     * @param size maximum number of threads
     */
    public ExecutorService lastInFirstOut(int size) {
        return new ForkJoinPool(size, this::newWorker, this::failed, true);
    }

    private ForkJoinWorkerThread newWorker(ForkJoinPool pool) {
        ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
        thread.setName(name + "-" + count.incrementAndGet());
        return thread;
    }

    private void failed(Thread on, Throwable failure) {
        try {
            LOG.error("{}: a task failed", on.getName(), failure);
        } finally {
            failed.accept(failure);
        }
    }

    /** Shuts down threads: running and queued tasks have five seconds to end, then the threads are interrupted. */
    public static void stop(ExecutorService threads) {
        threads.shutdown();
        try {
            if (threads.awaitTermination(5, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        threads.shutdownNow();
    }
}
