/** Diagrams in SVG. */
@NullMarked
package io.multimed.deploy.evaluation.plot;

import org.jspecify.annotations.NullMarked;
