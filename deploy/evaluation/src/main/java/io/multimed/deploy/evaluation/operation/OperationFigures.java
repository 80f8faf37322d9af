// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.operation;

import io.multimed.deploy.evaluation.figure.Figure;
import java.util.ArrayList;
import java.util.List;

/** The figures of single operations. */
public final class OperationFigures {
    private OperationFigures() {}

    public static List<Figure> all() {
        List<Figure> figures = new ArrayList<>();
        figures.addAll(OperationFigure.all());
        return figures;
    }
}
