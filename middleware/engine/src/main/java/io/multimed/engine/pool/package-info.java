// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Addresses of nodes and pools of connections to them.
 */
@NullMarked
package io.multimed.engine.pool;

import org.jspecify.annotations.NullMarked;
