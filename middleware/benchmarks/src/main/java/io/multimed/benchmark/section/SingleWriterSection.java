// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread makes all updates, which arrive in a queue. A thread that updates waits until its update is made. Reads
 * look at the last published number.
 */
final class SingleWriterSection implements Section {
    private static final int WAITING = 1_024;

    private final Work work;
    private final Numbers numbers;
    private final BlockingQueue<Update> queue = new ArrayBlockingQueue<>(WAITING);
    private final Thread writer = new Thread(this::write, "single-writer");
    private volatile long published;

    private static final class Update {
        private final Thread client = Thread.currentThread();
        private volatile boolean isDone;
    }

    SingleWriterSection(Work work) {
        this.work = work;
        this.numbers = new Numbers(work);
        writer.setDaemon(true);
        writer.start();
    }

    @Override
    public long read() {
        long now = published;
        work.run();
        return now;
    }

    @Override
    public void update() {
        Update update = new Update();
        boolean interrupted = !enqueue(update);
        while (!update.isDone) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns false if this thread was interrupted; the update is in the queue in any case. */
    private boolean enqueue(Update update) {
        boolean interrupted = false;
        while (true) {
            try {
                queue.put(update);
                return !interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    private void write() {
        List<Update> batch = new ArrayList<>();
        long made = 0;
        try {
            while (true) {
                batch.add(queue.take());
                queue.drainTo(batch);
                for (int i = 0; i < batch.size(); i++) {
                    numbers.change();
                }
                made += batch.size();
                published = made;
                batch.forEach(SingleWriterSection::finish);
                batch.clear();
            }
        } catch (InterruptedException e) {
            // the section is closed
        }
    }

    private static void finish(Update update) {
        update.isDone = true;
        LockSupport.unpark(update.client);
    }

    @Override
    public void close() {
        writer.interrupt();
    }
}
