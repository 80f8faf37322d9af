// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Dates and times while the client, the middleware and the engine have three different time zones. */
@NullMarked
package io.multimed.compatibility.zones;

import org.jspecify.annotations.NullMarked;
