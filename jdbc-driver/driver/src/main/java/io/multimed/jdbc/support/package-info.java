// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The common basis of all packages: SQLStates, the exceptions that the driver throws, and the driver's version.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.support;

import org.jspecify.annotations.NullMarked;
