/** Runs, and comparisons of runs. */
@NullMarked
package io.multimed.tpcw.run;

import org.jspecify.annotations.NullMarked;
