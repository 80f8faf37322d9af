// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation;

import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.ResultFile;
import io.multimed.deploy.evaluation.figure.UnavailableException;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.deploy.terminal.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Measures figures point by point, skips points that are complete, and writes the page. A figure that fails does not
 * prevent the others.
 */
final class FiguresRun {
    private final Path folder;
    private final Provenance provenance;
    private final Progress progress;

    /** The figures that this machine can measure, with their points. */
    private final Map<Figure, List<Point>> plan = new LinkedHashMap<>();

    /** The reasons of those that it cannot. */
    private final Map<Figure, String> unavailable = new LinkedHashMap<>();

    private final Map<Figure, ResultFile> results = new LinkedHashMap<>();
    private final List<String> failures = new ArrayList<>();

    /** Seconds of the points that are not measured yet, as estimated. */
    private int secondsLeft;

    /**
     * @param folder for the results; exists
     * @param progress receives the steps and the time that is left
     */
    FiguresRun(Path folder, Provenance provenance, Progress progress) {
        this.folder = folder;
        this.provenance = provenance;
        this.progress = progress;
    }

    /**
     * Plans the figures, and reads the points that an earlier run has measured.
     *
     * @throws IOException if the folder contains results of another configuration
     */
    void plan(List<Figure> figures) throws IOException {
        for (Figure figure : figures) {
            try {
                List<Point> points = figure.points(provenance.scope());
                if (figure.isComputed()) {
                    Files.deleteIfExists(folder.resolve(figure.id() + ".json"));
                }
                List<List<Integer>> clients = provenance.writeOrCheck(folder.resolve(figure.id() + ".json"), figure);
                ResultFile file = ResultFile.open(folder.resolve(figure.id() + ".csv"));
                if (figure.isComputed()) {
                    file.clear();
                }
                file.showOnly(keys(figure, clients));
                results.put(figure, file);
                List<Point> missing = points.stream()
                        .filter(point -> !file.contains(point.key()))
                        .toList();
                plan.put(figure, missing);
                int seconds = missing.stream().mapToInt(Point::seconds).sum();
                secondsLeft += seconds;
                progress.say("%-14s %3d of %3d points to measure, about %s: %s"
                        .formatted(figure.id(), missing.size(), points.size(), duration(seconds), figure.title()));
            } catch (UnavailableException e) {
                unavailable.put(figure, e.getMessage());
                progress.say("%-14s SKIPPED: %s".formatted(figure.id(), e.getMessage()));
            }
        }
        progress.say("%d figures, %d of them skipped; about %s in all"
                .formatted(figures.size(), unavailable.size(), duration(secondsLeft)));
    }

    /** Returns the names of the points that the figure has for each of several lists of numbers of clients. */
    private Set<String> keys(Figure figure, List<List<Integer>> clients) throws UnavailableException {
        Set<String> keys = new HashSet<>();
        for (List<Integer> some : clients) {
            figure.points(provenance.scope().withClients(some)).forEach(point -> keys.add(point.key()));
        }
        return keys;
    }

    /**
     * Measures what is missing, and writes the page after each figure.
     *
     * @return the page
     */
    Path measure(Workbench workbench) throws IOException, InterruptedException {
        Path page = writePage();
        for (Map.Entry<Figure, List<Point>> entry : plan.entrySet()) {
            measure(entry.getKey(), entry.getValue(), workbench);
            page = writePage();
        }
        return page;
    }

    private void measure(Figure figure, List<Point> points, Workbench workbench)
            throws IOException, InterruptedException {
        ResultFile file = result(figure);
        int left = points.stream().mapToInt(Point::seconds).sum();
        for (Point point : points) {
            progress.say("%s: %s; about %s left in all".formatted(figure.id(), point.key(), duration(secondsLeft)));
            List<Value> values;
            try {
                values = point.measure(workbench);
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                failures.add("%s, %s: %s".formatted(figure.id(), point.key(), e));
                progress.say("%s ends: %s".formatted(figure.id(), e));
                break;
            }
            file.append(point.key(), values);
            Provenance.addVersions(folder.resolve(figure.id() + ".json"), workbench.versions());
            secondsLeft -= point.seconds();
            left -= point.seconds();
        }
        secondsLeft -= left;
    }

    private ResultFile result(Figure figure) {
        return Objects.requireNonNull(results.get(figure));
    }

    private static String duration(int seconds) {
        return seconds < 120 ? seconds + " s" : seconds / 60 + " minutes";
    }

    private Path writePage() throws IOException {
        HtmlPage page = new HtmlPage(folder, provenance);
        for (Figure figure : plan.keySet()) {
            page.add(figure, result(figure));
        }
        unavailable.forEach(page::addUnavailable);
        return page.write();
    }

    /** Returns what failed: figures that ended early, and operations of measured points. */
    List<String> failures() {
        List<String> all = new ArrayList<>(failures);
        results.forEach((figure, file) -> {
            if (file.errors() > 0) {
                all.add("%s: %d operations failed; %s.csv says at which points"
                        .formatted(figure.id(), file.errors(), figure.id()));
            }
        });
        return all;
    }
}
