// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Benchmarks of the primitives that can enforce a critical section. */
@NullMarked
package io.multimed.benchmark.section;

import org.jspecify.annotations.NullMarked;
