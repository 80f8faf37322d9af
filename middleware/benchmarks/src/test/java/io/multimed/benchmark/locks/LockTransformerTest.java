// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.locks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LockTransformerTest {
    /** Name under which the agent would see the class if it were a part of the middleware. */
    private static final String MEASURED = "io/multimed/server/Sample";

    /** Takes locks in all ways that the middleware does. */
    @SuppressWarnings({"WaitNotInLoop", "LockNotBeforeTry"}) // only whether the calls are counted matters
    public static final class Sample implements Runnable {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final ReentrantLock contended = new ReentrantLock();

        @Override
        public void run() {
            for (int i = 0; i < 10; i++) {
                hold();
            }
            inMonitor();
            try {
                waitForOther();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void hold() {
            lock.lock();
            try {
                if (lock.tryLock()) {
                    lock.unlock();
                }
                changed.await(1, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            } finally {
                lock.unlock();
            }
        }

        private synchronized void inMonitor() {
            synchronized (changed) {
                assertThat(lock.isLocked()).isFalse();
            }
        }

        /** Waits for a lock that another thread releases as soon as this one waits. */
        private void waitForOther() throws InterruptedException {
            CountDownLatch taken = new CountDownLatch(1);
            Thread other = new Thread(() -> {
                contended.lock();
                try {
                    taken.countDown();
                    while (!contended.hasQueuedThreads()) {
                        Thread.onSpinWait();
                    }
                } finally {
                    contended.unlock();
                }
            });
            other.start();
            taken.await();
            contended.lock();
            contended.unlock();
            other.join();
        }
    }

    /** Loads the sample as the agent changes it. */
    private static final class Loader extends ClassLoader {
        private static final String NAME = Sample.class.getName();

        Loader() {
            super(Sample.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(NAME)) {
                return super.loadClass(name, resolve);
            }
            try (InputStream in = getResourceAsStream(NAME.replace('.', '/') + ".class")) {
                byte[] bytes = Objects.requireNonNull(new LockTransformer()
                        .transform(
                                null,
                                MEASURED,
                                null,
                                null,
                                Objects.requireNonNull(in).readAllBytes()));
                return defineClass(NAME, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    void shouldCountEntriesAndWaitsOfEachLock() throws Exception {
        ((Runnable) new Loader()
                        .loadClass(Sample.class.getName())
                        .getDeclaredConstructor()
                        .newInstance())
                .run();
        assertThat(line("Sample.lock")).startsWith("20", "0.000%");
        assertThat(line("Sample.contended")).startsWith("2", "50.000%");
        assertThat(line("Sample.inMonitor")).startsWith("2", "0.000%");
    }

    @Test
    void shouldReportWhileThreadsEnter() throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        Thread other = new Thread(() -> {
            while (!isOver.get()) {
                HeldLocks.enter("entered meanwhile");
                HeldLocks.leave("entered meanwhile");
            }
        });
        other.start();
        try {
            for (int i = 0; i < 200; i++) {
                assertThat(HeldLocks.report()).startsWith(LockStatistics.HEADER);
            }
        } finally {
            isOver.set(true);
            other.join();
        }
        assertThat(HeldLocks.report()).contains("entered meanwhile");
    }

    @Test
    void shouldLeaveOtherClassesAlone() {
        assertThat(new LockTransformer().transform(null, "java/util/ArrayList", null, null, new byte[0]))
                .isNull();
    }

    /** Returns the columns of a lock after its name. */
    private static String[] line(String name) {
        return HeldLocks.report()
                .lines()
                .filter(line -> line.matches("(.*\\$)?" + name.replace(".", "\\.") + " .*"))
                .map(line -> line.substring(line.indexOf(' ')).strip().split(" +"))
                .findFirst()
                .orElseThrow();
    }
}
