// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Metadata: of results, of parameters, and of the database.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.metadata;

import org.jspecify.annotations.NullMarked;
