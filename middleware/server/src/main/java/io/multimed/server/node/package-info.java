// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Computational Nodes (paper §3.3.1): an engine with its connection pool, its threads and its state. A node executes
 * tasks; the dispatcher selects the node.
 */
@NullMarked
package io.multimed.server.node;

import org.jspecify.annotations.NullMarked;
