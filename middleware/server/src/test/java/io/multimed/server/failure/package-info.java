// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Crashes, silent networks, hostile and slow clients. */
@NullMarked
package io.multimed.server.failure;

import org.jspecify.annotations.NullMarked;
