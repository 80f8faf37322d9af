// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The TPC-W workload at the level of the database (paper §4.2). Uses only java.sql, and so runs on any engine. */
@NullMarked
package io.multimed.tpcw;

import org.jspecify.annotations.NullMarked;
