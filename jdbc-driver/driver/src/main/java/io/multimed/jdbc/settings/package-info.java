// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The properties of connections, and the check of properties that belong to other drivers.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.settings;

import org.jspecify.annotations.NullMarked;
