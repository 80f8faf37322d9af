/** A long trial: a cluster of its own under load, with random faults, judged at the end. */
@NullMarked
package io.multimed.deploy.soak;

import org.jspecify.annotations.NullMarked;
