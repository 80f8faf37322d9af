// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Where a statement runs: plan, satellite (paper §3.3.2). */
@NullMarked
package io.multimed.server.dispatcher.routing;

import org.jspecify.annotations.NullMarked;
