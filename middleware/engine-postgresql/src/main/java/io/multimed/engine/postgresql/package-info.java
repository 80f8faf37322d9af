// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The implementation of the engine interface for PostgreSQL, through pgjdbc. The subpackages contain the roles:
 * connections and errors, master, satellites, results, SQL.
 */
@NullMarked
package io.multimed.engine.postgresql;

import org.jspecify.annotations.NullMarked;
