// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Binds each transaction to a node (paper §3.3.2): classifies statements, waits for freshness, and runs the requests
 * of a client on the node of the client's transaction.
 */
@NullMarked
package io.multimed.server.dispatcher;

import org.jspecify.annotations.NullMarked;
