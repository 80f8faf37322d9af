// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.section;

import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.deploy.evaluation.figure.Workbench;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A point that one run of JMH measures.
 *
 * @param reader makes values from each result
 */
record JmhPoint(String key, JmhRun run, Scope scope, Reader reader) implements Point {
    /** Makes values from the result of one combination of parameters. */
    @FunctionalInterface
    interface Reader {
        List<Value> values(JmhResult result) throws IOException;
    }

    @Override
    public int seconds() {
        return run.seconds(scope);
    }

    @Override
    public List<Value> measure(Workbench workbench) throws Exception {
        workbench.show(key);
        List<Value> values = new ArrayList<>();
        for (JmhResult result : run.run(workbench.scope(), workbench.folder())) {
            values.addAll(reader.values(result));
        }
        return values;
    }
}
