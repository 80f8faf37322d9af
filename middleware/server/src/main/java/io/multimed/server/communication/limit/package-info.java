// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Limits on the clients that are connected. */
@NullMarked
package io.multimed.server.communication.limit;

import org.jspecify.annotations.NullMarked;
