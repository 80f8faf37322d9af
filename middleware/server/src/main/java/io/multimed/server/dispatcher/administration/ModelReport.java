// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.model.change.ModelPlan;
import io.multimed.server.dispatcher.administration.Administration.StepReport;
import java.util.List;

/**
 * Formats the answers to ALTER MULTIMED MODEL: one row for each change of a plan, with the fingerprint of the plan, and
 * one row for each step.
 */
final class ModelReport {
    private ModelReport() {}

    static ResultTable plan(ModelPlan plan) {
        ResultTable table = new ResultTable(
                ResultTable.text("change"),
                ResultTable.text("object"),
                ResultTable.text("key"),
                ResultTable.text("before"),
                ResultTable.text("after"),
                ResultTable.text("effect"),
                ResultTable.text("note"),
                ResultTable.text("plan"));
        String fingerprint = plan.fingerprint();
        plan.changes()
                .forEach(change -> table.row(
                        change.kind().sign(),
                        change.object(),
                        change.key(),
                        change.before(),
                        change.after(),
                        change.effect().text(),
                        change.note(),
                        fingerprint));
        return table;
    }

    static ResultTable steps(List<StepReport> steps) {
        ResultTable table =
                new ResultTable(ResultTable.text("step"), ResultTable.text("outcome"), ResultTable.text("detail"));
        steps.forEach(step -> table.row(step.step(), step.outcome(), step.detail()));
        return table;
    }
}
