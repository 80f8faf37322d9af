// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Propagation by the engine's log: satellites are physical standbys, the SCN is a position in the log, and nothing is
 * captured.
 */
@NullMarked
package io.multimed.engine.postgresql.log;

import org.jspecify.annotations.NullMarked;
