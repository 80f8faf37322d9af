// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Benchmarks of transports between the driver and the middleware. */
@NullMarked
package io.multimed.benchmark.socket;

import org.jspecify.annotations.NullMarked;
