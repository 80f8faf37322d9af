// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Benchmarks of reading the SQL of MariaDB and MySQL. */
@NullMarked
package io.multimed.benchmark.mysql;

import org.jspecify.annotations.NullMarked;
