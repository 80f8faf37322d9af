/** Benchmarks of reading PostgreSQL's SQL. */
@NullMarked
package io.multimed.benchmark.postgresql;

import org.jspecify.annotations.NullMarked;
