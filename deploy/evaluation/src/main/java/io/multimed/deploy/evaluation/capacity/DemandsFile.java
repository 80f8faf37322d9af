// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.tpcw.schema.Scale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Adds what the points of the figure {@code demands} measure to the file of service times. */
final class DemandsFile {
    private DemandsFile() {}

    /** Returns the data of the points. */
    static Scale scale(Scope scope) {
        return scope.choose(new Scale(100, 1), new Scale(10_000, 10));
    }

    /**
     * Changes the file, which is created if necessary.
     *
     * @throws IOException if the file contains measurements of another engine, database or machine
     */
    static void change(Workbench workbench, UnaryOperator<MeasuredDemands> change) throws IOException {
        Path data = Files.createDirectories(workbench.folder().toAbsolutePath());
        Path file = data.resolveSibling(MeasuredDemands.FILE);
        MeasuredDemands empty = empty(workbench.scope());
        MeasuredDemands before = Files.exists(file) ? MeasuredDemands.read(file) : empty;
        if (!before.isComparable(empty)) {
            throw new IOException(
                    "%s was measured with another engine, database or machine, or in another form: remove this file and demands.*, or choose another folder with --out"
                            .formatted(file));
        }
        change.apply(before.at(empty.measured(), FlushTime.seconds(data))).write(file);
    }

    private static MeasuredDemands empty(Scope scope) {
        return new MeasuredDemands(
                MeasuredDemands.FORMAT,
                scope.engine(),
                MeasuredSystem.LEVEL.name(),
                scale(scope).items(),
                scope.quick(),
                scope.cores(),
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                0,
                Map.of(),
                List.of());
    }
}
