// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The parts of a figure: points that are measured, and panels that show their values. */
@NullMarked
package io.multimed.deploy.evaluation.figure;

import org.jspecify.annotations.NullMarked;
