// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each kind of stamp is necessary: the simulation finds a stale answer if one of them is left out. The test compiles a
 * changed copy of one source file, and runs the simulation with the compiled class in a class loader of its own, so
 * that the product contains nothing that could switch a stamp off.
 */
@Tag("slow")
@Timeout(60)
class StampOmissionTest {
    private static final Path SOURCES = Path.of("src", "main", "java", "io", "multimed", "server");
    private static final String SHAPE = "propagation/freshness/ReadShape.java";
    private static final String TABLE = "propagation/freshness/TableShapes.java";
    private static final String SCHEMA = "propagation/freshness/SchemaStamps.java";
    private static final String SCNS = "propagation/freshness/TableScns.java";
    private static final String PUBLISHER = "propagation/commit/Publisher.java";
    private static final String CACHE = "dispatcher/cache/ResultCache.java";

    /** Changes of the source, each of which leaves out one thing. */
    private enum Omission {
        OLD_VALUE(SHAPE, "stamp(current, before, scn);", ""),
        NEW_VALUE(SHAPE, "stamp(current, after, scn);", ""),
        INSERT(SHAPE, "before != null && after != null && !differ(", "before == null || after != null && !differ("),
        DELETE(SHAPE, "before != null && after != null && !differ(", "after == null || before != null && !differ("),
        UPDATE_OF_A_COLUMN(SHAPE, "after != null && !differ(before, after)", "after != null"),
        SHAPE_WITHOUT_KEY(
                SHAPE, "latest = scn;\n    }\n\n    private boolean differ", "}\n\n    private boolean differ"),
        UNKNOWN_ROWS_FOR_A_KEY(SHAPE, "latestOfAll = scn;", ""),
        UNKNOWN_ROWS_WITHOUT_KEY(SHAPE, "latestOfAll = scn;\n        latest = scn;", "latestOfAll = scn;"),
        ROW_OF_ANOTHER_FORM(TABLE, "changedAll(scn);\n        }\n    }", "}\n    }"),
        LARGE_ROW(SCHEMA, "table.changedAll(scn.value());", ""),
        UNREADABLE_ROW(SCHEMA, "table.changedAll(scn); //", "//"),
        UNKNOWN_TABLE(
                SCHEMA, "changedEverything(scn);\n        } else {\n            scns", "} else {\n            scns"),
        TRUNCATE(SCHEMA, "changedEverything(scn);\n        }\n    }", "}\n    }"),
        EVERYTHING("propagation/freshness/Dependencies.java", "schema.everything() > since", "since < 0"),
        SPILLED(SCNS, "current.changedEverything(end);", ""),
        SCHEMA_CHANGE(SCNS, "discardNames();\n        }\n        SchemaStamps", "}\n        SchemaStamps"),
        NEW_SHAPE(SCNS, "scope(footprint, tables, last)", "scope(footprint, tables, Scn.ZERO)"),
        BEFORE_PUBLICATION(
                PUBLISHER,
                "record(batches);\n        advance(group.number(), batches).forEach(Publisher::runCallback);",
                "advance(group.number(), batches).forEach(Publisher::runCallback);\n        record(batches);"),
        BYPASSING(PUBLISHER, "record(batches);\n            advance", "advance"),
        BEFORE_PUBLICATION_OF_BYPASSING(
                PUBLISHER,
                "record(batches);\n            advance(publishedGroup, batches).forEach(Publisher::runCallback);",
                "advance(publishedGroup, batches).forEach(Publisher::runCallback);\n            record(batches);"),
        SNAPSHOT(CACHE, "entry.asOf.isAfter(snapshot) ? snapshot : entry.asOf", "entry.asOf"),
        COMPARISON(CACHE, "!scns.holds(entry.dependencies, since)", "since.value() < 0"),
        WAITING_READ("dispatcher/cache/RunningRead.java", "needed.isAfter(asOf) ? null : result", "result");

        private final String file;
        private final String text;
        private final String replacement;

        Omission(String file, String text, String replacement) {
            this.file = file;
            this.text = text;
            this.replacement = replacement;
        }

        String source() throws IOException {
            String source = Files.readString(SOURCES.resolve(file));
            assertThat(source)
                    .as("%s: the code for %s looks different now: write the omission again", file, this)
                    .containsOnlyOnce(text);
            return source.replace(text, replacement);
        }
    }

    /** Loads the classes of the middleware again, changed ones first. */
    private static final class Loader extends URLClassLoader {
        private static final String SERVER = "io.multimed.server.";

        Loader(Path changed) throws MalformedURLException {
            super(
                    new URL[] {changed.toUri().toURL(), place(TableScns.class), place(CacheSimulation.class)},
                    StampOmissionTest.class.getClassLoader());
        }

        private static URL place(Class<?> type) {
            return Objects.requireNonNull(type.getProtectionDomain().getCodeSource())
                    .getLocation();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(SERVER)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }

    @TempDir
    private Path folder;

    private void compile(Omission omission) throws IOException {
        Path file = folder.resolve(Path.of(omission.file).getFileName());
        Files.writeString(file, omission.source());
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK is needed");
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        int exit = compiler.run(
                null, null, null, "-proc:none", "-nowarn", "-cp", path, "-d", folder.toString(), file.toString());
        assertThat(exit).as("compilation of %s", omission).isZero();
    }

    @Test
    void shouldFindNoStaleAnswerWithAllStamps() {
        List<String> outcome = new CacheSimulation().get();
        assertThat(outcome).as("reads, kept results, stale answer").hasSize(2);
        assertThat(Long.parseLong(outcome.get(1)))
                .as("kept results among %s", outcome.get(0))
                .isGreaterThan(Long.parseLong(outcome.get(0)) / 4);
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @EnumSource(Omission.class)
    void shouldFindAStaleAnswerIfAStampIsLeftOut(Omission omission) throws Exception {
        compile(omission);
        try (Loader loader = new Loader(folder)) {
            Class<?> simulation = loader.loadClass(CacheSimulation.class.getName());
            Supplier<?> run = (Supplier<?>) simulation.getDeclaredConstructor().newInstance();
            List<?> outcome = (List<?>) run.get();
            assertThat(outcome)
                    .as("reads, kept results, stale answer without %s", omission)
                    .hasSize(3);
        }
    }
}
