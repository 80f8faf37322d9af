// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Supervises threads without which the middleware would continue to run but not to work: no commit, or no connection,
 * would be served. Each of these threads handles the expected failures of its own work. If one of them nevertheless
 * dies, this is logged and reported, so that the middleware ends and is started again instead of hanging. Thread-safe.
 */
public final class CriticalThreads {
    private static final Logger LOG = LoggerFactory.getLogger(CriticalThreads.class);
    private static final long IDLE_SECONDS = 60;

    private final CompletableFuture<String> failure = new CompletableFuture<>();

    /**
     * Returns a future that is completed with a message when the middleware cannot continue. Dependent actions run on
     * the thread that reports this, which may be a dying one, and must not block.
     */
    public CompletableFuture<String> failure() {
        return failure;
    }

    /** Returns why the middleware cannot continue; empty if it can. */
    public Optional<String> reason() {
        return Optional.ofNullable(failure.getNow(null));
    }

    /** Reports that the middleware cannot continue for another reason than the death of a thread. */
    public void fail(String reason) {
        failure.complete(reason);
    }

    /** Creates a daemon thread without starting it. */
    public Thread thread(String name, Runnable work) {
        Thread thread = new Thread(guarded(name, work), name);
        thread.setDaemon(true);
        return thread;
    }

    /** Returns an executor that runs each task on a thread of its own; none of these threads may die. */
    public Executor executor(String name) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), new NamedThreads(name));
        return work -> threads.execute(guarded(name, work));
    }

    /** Wraps a task so that its failure counts as the failure of a critical thread. */
    public Runnable guarded(String name, Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                failed(name, e);
                throw e;
            }
        };
    }

    void failed(String name, Throwable cause) {
        try {
            LOG.error("the thread {} has died: this middleware cannot continue and ends", name, cause);
        } finally {
            fail("the thread %s has died: %s".formatted(name, cause));
        }
    }
}
