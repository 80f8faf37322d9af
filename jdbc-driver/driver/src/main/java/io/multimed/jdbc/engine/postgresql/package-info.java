// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * PostgreSQL: the behavior of PgJDBC.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.engine.postgresql;

import org.jspecify.annotations.NullMarked;
