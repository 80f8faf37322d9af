// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.soak;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records memory and threads of the middleware's JVM at regular intervals, from a thread of its own. Connects by JMX
 * for each sample, because faults kill the JVM. Each sample runs a full collection, so that the heap contains live
 * objects only.
 */
public final class JvmMonitor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JvmMonitor.class);

    /**
     * Allowed growth, in addition to a quarter, from the maximum of the first half to the median of the last quarter. A
     * middleware that was killed starts with a small heap.
     */
    private static final long HEAP_ALLOWANCE_BYTES = 32L << 20;

    private static final long THREADS_ALLOWANCE = 8;

    private final JMXServiceURL url;
    private final long everyMillis;
    private final long begin = System.nanoTime();
    private final Thread thread;

    /** Guarded by this list. */
    private final List<Sample> samples = new ArrayList<>();

    /**
     * One observation.
     *
     * @param seconds time since the start of the monitor
     * @param heap bytes in use after a full collection
     * @param threads number of threads, without those of remote management
     */
    public record Sample(long seconds, long heap, int threads) {}

    private JvmMonitor(int port, long everyMillis) throws IOException {
        this.url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:%d/jmxrmi".formatted(port));
        this.everyMillis = everyMillis;
        this.thread = new Thread(this::run, "jvm-monitor");
        this.thread.setDaemon(true);
    }

    static JvmMonitor watch(int port, long everyMillis) throws IOException {
        JvmMonitor signs = new JvmMonitor(port, everyMillis);
        signs.thread.start();
        return signs;
    }

    private void run() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(everyMillis);
                sample();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @SuppressWarnings("BanJNDI") // The address is that of a child process, on loopback.
    private void sample() {
        try (JMXConnector connector = JMXConnectorFactory.connect(url)) {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            MemoryMXBean memory = ManagementFactory.newPlatformMXBeanProxy(
                    server, ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
            ThreadMXBean threads = ManagementFactory.newPlatformMXBeanProxy(
                    server, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
            memory.gc();
            add(new Sample(
                    TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin),
                    memory.getHeapMemoryUsage().getUsed(),
                    own(threads.getThreadInfo(threads.getAllThreadIds()))));
        } catch (IOException | RuntimeException e) {
            LOG.debug("no sample: the middleware does not respond, possibly because of an injected fault", e);
        }
    }

    /** Returns the number of threads without those that serve this monitor. */
    private static int own(ThreadInfo[] threads) {
        return (int) Stream.of(threads)
                .filter(info -> info != null && !info.getThreadName().matches("(RMI|JMX) .*"))
                .count();
    }

    private void add(Sample sample) {
        synchronized (samples) {
            samples.add(sample);
        }
    }

    List<Sample> samples() {
        synchronized (samples) {
            return List.copyOf(samples);
        }
    }

    /**
     * Returns the reasons why memory or threads have grown; empty if they have not. Compares the last quarter of the
     * samples with the first half.
     */
    public static List<String> growth(List<Sample> samples) {
        if (samples.size() < 8) {
            return List.of(
                    "the middleware's JVM answered only %d times, which is too few to judge its memory: run longer (--minutes)"
                            .formatted(samples.size()));
        }
        List<String> found = new ArrayList<>();
        judge("heap after collection", Sample::heap, HEAP_ALLOWANCE_BYTES, samples, found);
        judge("threads", Sample::threads, THREADS_ALLOWANCE, samples, found);
        return found;
    }

    private static void judge(
            String what, ToLongFunction<Sample> value, long allowance, List<Sample> samples, List<String> found) {
        long before = highestOfFirstHalf(value, samples);
        long after = medianOfLastQuarter(value, samples);
        if (after > before + before / 4 + allowance) {
            found.add("%s grew from at most %d in the first half to %d in the last quarter"
                    .formatted(what, before, after));
        }
    }

    /** Returns the maximum, because a peak in the first half shows that the value is normal. */
    static long highestOfFirstHalf(ToLongFunction<Sample> value, List<Sample> samples) {
        return samples.stream().limit(samples.size() / 2).mapToLong(value).max().orElse(0);
    }

    /** Returns the median, which a single peak does not change. */
    static long medianOfLastQuarter(ToLongFunction<Sample> value, List<Sample> samples) {
        int quarter = samples.size() / 4;
        long[] sorted = samples.stream()
                .skip(samples.size() - quarter)
                .mapToLong(value)
                .sorted()
                .toArray();
        return sorted[quarter / 2];
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
