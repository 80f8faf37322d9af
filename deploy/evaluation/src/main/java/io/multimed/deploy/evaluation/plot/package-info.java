// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Diagrams in SVG. */
@NullMarked
package io.multimed.deploy.evaluation.plot;

import org.jspecify.annotations.NullMarked;
