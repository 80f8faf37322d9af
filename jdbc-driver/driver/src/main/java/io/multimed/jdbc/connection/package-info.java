// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Connections: the URL, the connection itself, and the choice of the engine family.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.connection;

import org.jspecify.annotations.NullMarked;
