// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Real engines and a middleware over them, and other helpers of the tests. */
@NullMarked
package io.multimed.server.testing;

import org.jspecify.annotations.NullMarked;
