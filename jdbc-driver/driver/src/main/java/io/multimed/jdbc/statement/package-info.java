// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Statements, prepared statements and calls.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.statement;

import org.jspecify.annotations.NullMarked;
