// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Benchmarks of the result cache. */
@NullMarked
package io.multimed.server.dispatcher.cache;

import org.jspecify.annotations.NullMarked;
