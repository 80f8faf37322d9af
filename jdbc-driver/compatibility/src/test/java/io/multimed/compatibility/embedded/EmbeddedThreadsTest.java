// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The threads that run the reads and commits of an application with the dispatcher in its process, and the threads and
 * classes that remain when the dispatcher has stopped.
 */
@Tag("slow")
@Timeout(300)
class EmbeddedThreadsTest {
    private static final int OPERATIONS = 1_000;

    private static PrimaryAndStandby engines;
    private static Path model;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        engines = new PrimaryAndStandby(folder, "receipts: on\ndirect-writes: none\n");
        model = engines.model();
    }

    @AfterAll
    static void stop() {
        engines.close();
    }

    private static Connection connect() throws SQLException {
        return engines.connect();
    }

    /** Reads the number of times that each thread of this process has slept, by the name of the thread. */
    private static Map<String, Long> sleeps() throws IOException {
        Map<String, Long> found = new HashMap<>();
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : (Iterable<Path>) tasks::iterator) {
                try {
                    String name = Files.readString(task.resolve("comm")).strip();
                    long times = Files.readAllLines(task.resolve("status")).stream()
                            .filter(line -> line.startsWith("voluntary_ctxt_switches:"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                            .sum();
                    found.merge(name, times, Long::sum);
                } catch (IOException e) {
                    assertThat(task).doesNotExist(); // the thread has ended
                }
            }
        }
        return found;
    }

    /** Apart from the thread that asks the standby how far it is. */
    @Test
    void shouldRunReadsAndCommitsOfOneClientOnItsThread() throws Exception {
        try (Connection connection = connect();
                PreparedStatement read = connection.prepareStatement("SELECT v FROM item WHERE id = ?");
                PreparedStatement update = connection.prepareStatement("UPDATE item SET v = v + 1 WHERE id = ?")) {
            for (int i = 0; i < 3; i++) { // until statements are known to be fast
                update(update);
                read(read);
            }
            Map<String, Long> before = sleeps();
            update(update);
            read(read);
            Map<String, Long> after = sleeps();
            List<String> ours = after.keySet().stream()
                    .filter(name -> Stream.of("publisher", "primary", "replica", "bypass", "commit", "multimed")
                            .anyMatch(name::startsWith))
                    .filter(name -> !name.equals("replica-applier"))
                    .toList();
            assertThat(ours).contains("publisher");
            for (String name : ours) {
                assertThat(after.get(name) - before.getOrDefault(name, 0L))
                        .as("wake-ups of %s during %d reads and as many commits", name, OPERATIONS)
                        .isLessThan(OPERATIONS / 4);
            }
        }
    }

    private static void update(PreparedStatement update) throws SQLException {
        for (int i = 0; i < OPERATIONS; i++) {
            update.setInt(1, i % 100 + 1);
            update.executeUpdate();
        }
    }

    private static void read(PreparedStatement read) throws SQLException {
        for (int i = 0; i < OPERATIONS; i++) {
            read.setInt(1, i % 100 + 1);
            try (ResultSet row = read.executeQuery()) {
                row.next();
            }
        }
    }

    /** Java 21 and later. */
    @Test
    void shouldServeVirtualThreads() throws Exception {
        ExecutorService clients = virtualThreads();
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 1; i <= 40; i++) {
                int id = i;
                all.add(clients.submit(() -> {
                    increment(id);
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(120, TimeUnit.SECONDS);
            }
        } finally {
            clients.shutdown();
        }
    }

    private static void increment(int id) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement read = connection.prepareStatement("SELECT v FROM item WHERE id = ?");
                PreparedStatement update = connection.prepareStatement("UPDATE item SET v = ? WHERE id = ?")) {
            read.setInt(1, id);
            update.setInt(2, id);
            for (int n = -1; n >= -50; n--) {
                update.setInt(1, n);
                update.executeUpdate();
                try (ResultSet row = read.executeQuery()) {
                    row.next();
                    assertThat(row.getInt(1)).isEqualTo(n);
                }
            }
        }
    }

    /** Returns an executor with a virtual thread for each task; with platform threads where Java has no others. */
    private static ExecutorService virtualThreads() throws IllegalAccessException, InvocationTargetException {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException e) {
            return Executors.newCachedThreadPool();
        }
    }

    /** An application server loads an application, and unloads it. */
    @Test
    @Timeout(900)
    void shouldLeaveNothingInAClassLoader() throws Exception {
        await("the dispatcher of the other tests has stopped")
                .atMost(Duration.ofSeconds(60))
                .until(() -> !isRunning());
        int times = Boolean.getBoolean("multimed.test.exhaustive") ? 50 : 2;
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            loaders.add(useAndUnload());
        }
        assertThat(new Linked(new StringBuilder())).isNotEqualTo(new Linked(new StringBuilder()));
        await("the classes are unloaded").atMost(Duration.ofSeconds(120)).until(() -> {
            System.gc();
            return loaders.stream().allMatch(loader -> loader.get() == null);
        });
    }

    private static List<String> threadsOf(ClassLoader loader) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getContextClassLoader() == loader)
                .map(Thread::getName)
                .toList();
    }

    /**
     * Java 17 keeps the types of the last record whose equals method was linked ({@code asTypeCache} of a handle in
     * ObjectMethods), and thereby their class loader: this one takes the place.
     */
    private record Linked(StringBuilder value) {}

    private static boolean isRunning() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith("publisher"));
    }

    private static WeakReference<ClassLoader> useAndUnload() throws Exception {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            classPath.add(Path.of(entry).toUri().toURL());
        }
        URLClassLoader loader = new URLClassLoader(classPath.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        current.setContextClassLoader(loader);
        try {
            Driver driver = (Driver) loader.loadClass("io.multimed.jdbc.MultimedDriver")
                    .getConstructor()
                    .newInstance();
            try (Connection connection = driver.connect("jdbc:multimed:embedded:" + model, new Properties());
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT count(*) FROM item")) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(100);
            }
            // as application servers do, from within the application
            loader.loadClass("io.multimed.compatibility.embedded.Unloading")
                    .getMethod("deregisterDrivers")
                    .invoke(null);
        } finally {
            current.setContextClassLoader(before);
        }
        await("no thread is left")
                .atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(threadsOf(loader)).isEmpty());
        loader.close();
        return new WeakReference<>(loader);
    }
}
