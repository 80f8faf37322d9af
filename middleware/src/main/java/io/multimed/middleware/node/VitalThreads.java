package io.multimed.middleware.node;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads without which a middleware would go on and do nothing: nobody would commit, or be heard. Each of them deals with what can go wrong in its own work; if one of them dies all the same, that
 * is logged and told, so that the middleware ends, and is started again, rather than hangs. Thread-safe.
 */
public final class VitalThreads {
    private static final Logger LOG = LoggerFactory.getLogger(VitalThreads.class);
    private static final long IDLE_SECONDS = 60;

    private final CompletableFuture<String> death = new CompletableFuture<>();

    /** Completed with a sentence once such a thread has died. Its dependents run on the dying thread and must not block. */
    public CompletableFuture<String> death() {
        return death;
    }

    /** Whether all that were started live, or ended in order. */
    public boolean areAlive() {
        return !death.isDone();
    }

    /** A thread that is not started yet and does not keep the process alive. */
    public Thread thread(String name, Runnable work) {
        Thread thread = new Thread(guarded(name, work), name);
        thread.setDaemon(true);
        return thread;
    }

    /** Runs each piece of work on a thread of its own, none of which may die. */
    public Executor executor(String name) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), new NamedThreads(name));
        return work -> threads.execute(guarded(name, work));
    }

    /** The work; whoever runs it dies if it fails. */
    public Runnable guarded(String name, Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                died(name, e);
                throw e;
            }
        };
    }

    void died(String name, Throwable cause) {
        try {
            LOG.error("the thread {} has died: this middleware cannot continue and ends", name, cause);
        } finally {
            death.complete("the thread %s has died: %s".formatted(name, cause));
        }
    }
}
