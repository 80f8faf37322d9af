/** Benchmarks of a single operation: a read, a commit, or a transaction. */
@NullMarked
package io.multimed.deploy.bench;

import org.jspecify.annotations.NullMarked;
