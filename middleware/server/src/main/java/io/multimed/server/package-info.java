// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The composition root: creates the components of the middleware, starts them, and stops them in reverse order. */
@NullMarked
package io.multimed.server;

import org.jspecify.annotations.NullMarked;
