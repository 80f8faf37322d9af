package io.multimed.middleware.node;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that say in a dump whose they are; none of them keeps the process alive. */
public final class NamedThreads implements ThreadFactory {
    private final String name;
    private final AtomicInteger count = new AtomicInteger();

    public NamedThreads(String name) {
        this.name = name;
    }

    @Override
    public Thread newThread(Runnable work) {
        Thread thread = new Thread(work, name + "-" + count.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }

    /** Ends threads: what has begun has five seconds to end, then it is interrupted. */
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
