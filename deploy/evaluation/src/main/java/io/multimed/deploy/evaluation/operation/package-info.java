// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Figures of single operations: record insertion, the transactions of TPC-C, and where the time goes. */
@NullMarked
package io.multimed.deploy.evaluation.operation;

import org.jspecify.annotations.NullMarked;
