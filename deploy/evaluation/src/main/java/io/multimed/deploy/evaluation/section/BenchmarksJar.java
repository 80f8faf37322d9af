// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.section;

import io.multimed.deploy.evaluation.figure.Checksum;
import io.multimed.deploy.evaluation.figure.UnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the jar with the benchmarks of the middleware. */
final class BenchmarksJar {
    /** A system property that names the jar; without it, the jar is searched in the source tree. */
    static final String PROPERTY = "multimed.benchmarks";

    private static final Path IN_SOURCES = Path.of("middleware", "benchmarks", "target", "benchmarks.jar");

    private BenchmarksJar() {}

    /**
     * Returns the jar.
     *
     * @throws UnavailableException if it is not built
     */
    static Path find() throws UnavailableException {
        String named = System.getProperty(PROPERTY);
        return named != null ? checked(Path.of(named)) : above(ownFile());
    }

    /** Returns which jar a figure measures, by its checksum; empty if the jar is not built. */
    static Map<String, String> configuration() {
        try {
            return configuration(find());
        } catch (UnavailableException e) {
            return Map.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the setting that identifies a jar. */
    static Map<String, String> configuration(Path jar) throws IOException {
        return Map.of("benchmarks", Checksum.of(jar));
    }

    private static Path checked(Path jar) throws UnavailableException {
        if (!Files.isRegularFile(jar)) {
            throw new UnavailableException("%s, which the system property %s names, is not a file; set it to the jar of"
                            .formatted(jar, PROPERTY)
                    + " middleware/benchmarks, or omit it in a source tree");
        }
        return jar;
    }

    /**
     * Returns the jar of the source tree that contains a file.
     *
     * @throws UnavailableException if no folder above the file is a source tree in which the jar is built
     */
    static Path above(Path file) throws UnavailableException {
        for (@Nullable Path folder = file.toAbsolutePath().getParent(); folder != null; folder = folder.getParent()) {
            Path jar = folder.resolve(IN_SOURCES);
            if (Files.isRegularFile(jar)) {
                return jar;
            }
        }
        throw new UnavailableException(
                "the benchmarks of the middleware are not built: in a source tree, deploy/multimed"
                        + " figures builds them, or: mvn -B -ntp package -DskipTests -pl middleware/benchmarks -am; elsewhere,"
                        + " name their jar by MULTIMED_JAVA_OPTIONS=-D" + PROPERTY + "=FILE");
    }

    /** Returns the jar or the folder from which this class was loaded. */
    private static Path ownFile() {
        try {
            return Path.of(BenchmarksJar.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
