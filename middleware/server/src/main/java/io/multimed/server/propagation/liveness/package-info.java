// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Whether engines respond: heartbeats on connections of their own, and the lease for which the middleware may assume
 * that the master still belongs to it (architecture 6.4).
 */
@NullMarked
package io.multimed.server.propagation.liveness;

import org.jspecify.annotations.NullMarked;
