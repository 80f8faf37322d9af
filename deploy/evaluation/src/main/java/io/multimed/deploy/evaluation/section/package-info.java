// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Figures without engines: the benchmarks of critical sections and of replacement, which a process of its own runs. JMH
 * is no part of the distribution.
 */
@NullMarked
package io.multimed.deploy.evaluation.section;

import org.jspecify.annotations.NullMarked;
