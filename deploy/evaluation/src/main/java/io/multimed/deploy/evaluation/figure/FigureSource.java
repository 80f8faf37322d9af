// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.figure;

import java.util.List;

/** Offers the figures of one engine. Found by {@link java.util.ServiceLoader}; has a public constructor. */
public interface FigureSource {
    /** Returns the figures, in the order of the page. */
    List<Figure> figures();
}
