/**
 * The TPC-W workload at database level (paper §4.2). Uses java.sql only, so it runs against any engine.
 */
@NullMarked
package io.multimed.tpcw;

import org.jspecify.annotations.NullMarked;
