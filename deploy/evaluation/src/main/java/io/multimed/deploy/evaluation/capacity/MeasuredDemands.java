// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.multimed.tpcw.run.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The file of measured service times, which the figure {@code demands} writes.
 *
 * @param format version of the file's form
 * @param engine name of the engine
 * @param optimization level of the satellites
 * @param items rows of ITEM in the database of TPC-W
 * @param quick whether it was measured in the quick form, which shows no speed
 * @param cores cores of the machine
 * @param measured time of the last measurement
 * @param flush seconds in which the disk writes a small block durably
 * @param satellite CPU time that each further satellite adds to an update, by group of processes; the differences of
 *     rounds that were measured in turns, which may be negative; empty until they are measured
 */
record MeasuredDemands(
        int format,
        String engine,
        String optimization,
        int items,
        boolean quick,
        int cores,
        String measured,
        double flush,
        Map<String, Spread> satellite,
        List<Measurement> measurements) {
    /** Name of the file in the folder of the figures. */
    static final String FILE = "service-times.json";

    /** Since this version, values have a spread. */
    static final int FORMAT = 2;

    private static final ObjectMapper JSON = new ObjectMapper();

    MeasuredDemands {
        satellite = Map.copyOf(satellite);
        measurements = List.copyOf(measurements);
    }

    /**
     * Reads a file.
     *
     * @throws IllegalArgumentException if there is no such file, or if it contains something else, or the form of an
     *     earlier version; the message says how to measure
     */
    static MeasuredDemands read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException(
                    "%s: there are no measured service times; measure them with multimed figures --only demands --out %s, or name another file with --demands"
                            .formatted(file, Objects.requireNonNullElse(file.getParent(), Path.of("."))));
        }
        @Nullable MeasuredDemands read;
        try {
            JsonNode tree = JSON.readTree(file.toFile());
            checkFormat(tree, file);
            read = JSON.treeToValue(tree, MeasuredDemands.class);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(notAFile(file, e.getOriginalMessage()), e);
        } catch (NullPointerException e) {
            throw new IllegalArgumentException(notAFile(file, "a key is missing"), e);
        }
        if (read == null || read.engine == null || read.optimization == null) {
            throw new IllegalArgumentException(notAFile(file, "a key is missing"));
        }
        return read;
    }

    private static void checkFormat(JsonNode tree, Path file) {
        int format = tree.path("format").asInt(1);
        if (tree.has("measurements") && format != FORMAT) {
            throw new IllegalArgumentException(
                    "%s has form %d, which another version of Multimed has written; this version reads form %d: remove %s and demands.* in this folder, and measure again with multimed figures --only demands --out %s"
                            .formatted(
                                    file,
                                    format,
                                    FORMAT,
                                    FILE,
                                    Objects.requireNonNullElse(file.getParent(), Path.of("."))));
        }
    }

    private static String notAFile(Path file, String why) {
        return "%s is not a file of measured service times (%s); such a file is %s in the folder of multimed figures"
                .formatted(file, why, FILE);
    }

    /** Writes the file at once, so that an interruption leaves a complete one. */
    void write(Path file) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".new");
        JSON.writerWithDefaultPrettyPrinter().writeValue(next.toFile(), this);
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Returns whether measurements of both can be in one file. */
    boolean isComparable(MeasuredDemands other) {
        return engine.equals(other.engine)
                && optimization.equals(other.optimization)
                && items == other.items
                && quick == other.quick
                && cores == other.cores;
    }

    /** Returns these measurements with another one, which replaces an earlier one of the same place. */
    MeasuredDemands with(Measurement more) {
        List<Measurement> all = new ArrayList<>(measurements);
        all.removeIf(more::replaces);
        all.add(more);
        return new MeasuredDemands(format, engine, optimization, items, quick, cores, measured, flush, satellite, all);
    }

    /** Returns these measurements with other times that each further satellite adds to an update. */
    MeasuredDemands withSatellite(Map<String, Spread> added) {
        return new MeasuredDemands(
                format, engine, optimization, items, quick, cores, measured, flush, added, measurements);
    }

    /** Returns these measurements with another time of the disk, and another time of the last measurement. */
    MeasuredDemands at(String when, double newFlush) {
        return new MeasuredDemands(
                format, engine, optimization, items, quick, cores, when, newFlush, satellite, measurements);
    }

    /** Returns the measurement of CPU times of a kind of work. */
    Optional<Measurement> demand(String work, int satellites) {
        return measurements.stream()
                .filter(each -> each.demand() && each.work().equals(work) && each.satellites() == satellites)
                .findFirst();
    }

    /** Returns the measurements of CPU times of a kind of work on Multimed, with each number of satellites. */
    List<Measurement> multimed(String work) {
        return measurements.stream()
                .filter(each -> each.demand() && each.work().equals(work) && !each.isPlain())
                .toList();
    }
}
