// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The command {@code figures}: measures the figures of the papers, and writes them as tables, plots and a page. */
@NullMarked
package io.multimed.deploy.evaluation;

import org.jspecify.annotations.NullMarked;
