// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Benchmarks of reading PostgreSQL's SQL. */
@NullMarked
package io.multimed.benchmark.postgresql;

import org.jspecify.annotations.NullMarked;
