/**
 * Computational Nodes (paper §3.3.1): an engine with its connection pool, its threads and its state. Runs what it is told; does not choose.
 */
@NullMarked
package io.multimed.server.node;

import org.jspecify.annotations.NullMarked;
