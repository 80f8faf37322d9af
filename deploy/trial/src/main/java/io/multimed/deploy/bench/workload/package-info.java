// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The operations that benchmarks measure, in SQL that all engines understand. Each creates the tables that it needs.
 */
@NullMarked
package io.multimed.deploy.bench.workload;

import org.jspecify.annotations.NullMarked;
