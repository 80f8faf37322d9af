// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Runs, and comparisons of runs. */
@NullMarked
package io.multimed.tpcw.run;

import org.jspecify.annotations.NullMarked;
