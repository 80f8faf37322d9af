// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The master's side: installing capture, sealing and reading WriteSets, fencing, forcing the log.
 */
@NullMarked
package io.multimed.engine.postgresql.master;

import org.jspecify.annotations.NullMarked;
