// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation;

import io.multimed.deploy.evaluation.capacity.DemandsFigure;
import io.multimed.deploy.evaluation.capacity.ModelFigure;
import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.figure.FigureSource;
import io.multimed.deploy.evaluation.operation.OperationFigures;
import io.multimed.deploy.evaluation.section.ReplacementFigure;
import io.multimed.deploy.evaluation.section.SectionsFigure;
import io.multimed.deploy.evaluation.tpcw.TpcwFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** All figures, in the order of the page. */
final class Catalog {
    private Catalog() {}

    static List<Figure> figures() {
        List<Figure> figures = new ArrayList<>(TpcwFigures.all());
        figures.addAll(OperationFigures.all()); // before the other engines: the quick form keeps the databases of one
        ServiceLoader.load(FigureSource.class, Catalog.class.getClassLoader())
                .forEach(source -> figures.addAll(source.figures()));
        figures.add(new SectionsFigure());
        figures.addAll(List.of(ReplacementFigure.values()));
        figures.add(new DemandsFigure());
        figures.add(new ModelFigure()); // computed from the results of the others
        return figures;
    }
}
