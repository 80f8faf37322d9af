package io.multimed.deploy.evaluation;

import io.multimed.deploy.evaluation.figure.Figure;
import io.multimed.deploy.evaluation.section.ReplacementFigure;
import io.multimed.deploy.evaluation.section.SectionsFigure;
import java.util.ArrayList;
import java.util.List;

/** All figures, in the order of the page. */
final class Catalog {
    private Catalog() {}

    /** Returns the figures. */
    static List<Figure> figures() {
        List<Figure> figures = new ArrayList<>();
        figures.add(new SectionsFigure());
        figures.addAll(List.of(ReplacementFigure.values()));
        return figures;
    }
}
