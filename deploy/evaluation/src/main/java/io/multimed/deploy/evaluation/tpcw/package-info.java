// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Figures of TPC-W: figures 1 and 3 to 6 of the Multimed paper, and the interference of reports. */
@NullMarked
package io.multimed.deploy.evaluation.tpcw;

import org.jspecify.annotations.NullMarked;
