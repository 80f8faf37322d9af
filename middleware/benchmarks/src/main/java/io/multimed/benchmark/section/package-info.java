/** Benchmarks of the primitives that can enforce a critical section. */
@NullMarked
package io.multimed.benchmark.section;

import org.jspecify.annotations.NullMarked;
