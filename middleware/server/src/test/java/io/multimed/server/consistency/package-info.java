// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Satellites that answer as the master would. */
@NullMarked
package io.multimed.server.consistency;

import org.jspecify.annotations.NullMarked;
