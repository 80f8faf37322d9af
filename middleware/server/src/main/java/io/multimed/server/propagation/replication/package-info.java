// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Satellites: queues, appliers, seeding, and comparison with the master (paper §3.2.1). */
@NullMarked
package io.multimed.server.propagation.replication;

import org.jspecify.annotations.NullMarked;
