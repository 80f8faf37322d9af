// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Values: parameters from values that applications set, conversions of values that results contain, arrays, large
 * values and XML.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.value;

import org.jspecify.annotations.NullMarked;
