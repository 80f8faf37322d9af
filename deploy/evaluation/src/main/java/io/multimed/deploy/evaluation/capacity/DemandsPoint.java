// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.capacity.MeasuredLoad.Round;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.figure.Workbench;
import io.multimed.tpcw.schema.Scale;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures one kind of work on one system, and adds the result to the file of service times.
 *
 * @param satellites 0 for the engine alone
 * @param demand whether the CPU times feed the model; otherwise the point only checks it
 * @param first whether this is the first point of its system, which starts the system
 */
record DemandsPoint(Work work, int satellites, int clients, boolean demand, boolean first, Scope scope)
        implements Point {
    @Override
    public String key() {
        return "%s, %s, %d clients%s"
                .formatted(work.title(), MeasuredPoint.title(satellites), clients, demand ? "" : ", check");
    }

    @Override
    public int seconds() {
        return LoadPlan.of(scope).expected(first, DemandsFigure.mixes(scope).size(), scope);
    }

    @Override
    public List<Value> measure(Workbench workbench) throws Exception {
        Scale scale = DemandsFile.scale(scope);
        LoadPlan plan = LoadPlan.of(scope);
        MeasuredSystem system = MeasuredSystem.of(satellites, scale, workbench);
        workbench.show(key());
        system.warm(plan, DemandsFigure.mixes(scope), scale, DemandsFigure.moderate(scope));
        List<Round> rounds = new ArrayList<>();
        try (MeasuredLoad load = new MeasuredLoad(system, work, scale, clients)) {
            load.warm(plan.warm());
            for (int i = 0; i < plan.rounds(); i++) {
                rounds.add(load.round(plan));
            }
        }
        Measurement measured = Measurement.of(work, satellites, clients, rounds, demand);
        DemandsFile.change(workbench, file -> file.with(measured));
        return measured.values();
    }
}
