// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Result sets: their rows, getters, and updates of the table behind them.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.result;

import org.jspecify.annotations.NullMarked;
