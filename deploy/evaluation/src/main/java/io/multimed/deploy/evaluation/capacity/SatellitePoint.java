// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.capacity.MeasuredLoad.Round;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.tpcw.run.Spread;
import io.multimed.tpcw.schema.Scale;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures what an update costs for each further satellite: the difference between two satellites and one. It is small,
 * so that both are measured in turns, round by round, on the same processes and with the same clients. The work
 * consists of updates, because they are too small a part of the mixes.
 */
record SatellitePoint(int clients, Scope scope) implements Point {
    private static final Work WORK = Work.Part.UPDATES;
    private static final int MORE = MeasuredPoint.SATELLITES;
    private static final int FEWER = MORE - 1;

    @Override
    public String key() {
        return "%s, %s and %s in turns, %d clients"
                .formatted(WORK.title(), MeasuredPoint.title(MORE), MeasuredPoint.title(FEWER), clients);
    }

    @Override
    public int seconds() {
        return LoadPlan.of(scope).expectedInTurns();
    }

    @Override
    public List<Value> measure(Workbench workbench) throws Exception {
        Scale scale = DemandsFile.scale(scope);
        LoadPlan plan = LoadPlan.of(scope);
        MeasuredSystem system = MeasuredSystem.of(MORE, scale, workbench);
        workbench.show(key());
        system.warm(plan, DemandsFigure.mixes(scope), scale, clients);
        List<Round> more = new ArrayList<>();
        List<Round> fewer = new ArrayList<>();
        try (MeasuredLoad load = new MeasuredLoad(system, WORK, scale, clients)) {
            for (int i = 0; i < plan.rounds(); i++) {
                more.add(round(MORE, system, load, plan));
                fewer.add(round(FEWER, system, load, plan));
            }
        }
        return record(more, fewer, workbench);
    }

    private static Round round(int satellites, MeasuredSystem system, MeasuredLoad load, LoadPlan plan)
            throws Exception {
        system.change(satellites);
        load.warm(plan.warm());
        return load.round(plan);
    }

    private List<Value> record(List<Round> more, List<Round> fewer, Workbench workbench) throws Exception {
        Measurement two = Measurement.of(WORK, MORE, clients, more, true);
        Measurement one = Measurement.of(WORK, FEWER, clients, fewer, true);
        Map<String, Spread> added = added(more, fewer);
        DemandsFile.change(workbench, file -> file.with(two).with(one).withSatellite(added));
        List<Value> values = new ArrayList<>(two.values());
        values.addAll(one.values());
        added.forEach((group, seconds) -> values.add(
                new Value(DemandsFigure.ADDED, "a further satellite", group, Measurement.scaled(seconds, 1e6), 0)));
        return values;
    }

    /** Returns the differences of rounds that follow each other, for an update, by group. */
    static Map<String, Spread> added(List<Round> more, List<Round> fewer) {
        Map<String, Spread> added = new LinkedHashMap<>();
        for (String group : more.get(0).cpu().keySet()) {
            List<Double> differences = new ArrayList<>();
            for (int i = 0; i < more.size(); i++) {
                double updates = (more.get(i).updates() + fewer.get(i).updates()) / 2;
                differences.add((more.get(i).cpu(group) - fewer.get(i).cpu(group)) / updates);
            }
            added.put(group, Spread.of(differences));
        }
        return added;
    }
}
