// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Metrics of the middleware and its nodes, and the port on which monitoring systems read them. */
@NullMarked
package io.multimed.server.monitoring;

import org.jspecify.annotations.NullMarked;
