// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Statements of administrators, and the listening address. */
@NullMarked
package io.multimed.server.administration;

import org.jspecify.annotations.NullMarked;
