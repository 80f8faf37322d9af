/** Small benchmarks of a single operation: a commit or a point read. */
@NullMarked
package io.multimed.deploy.bench;

import org.jspecify.annotations.NullMarked;
