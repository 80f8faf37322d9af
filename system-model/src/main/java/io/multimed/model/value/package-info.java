// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Values in a System Model that have a written form of their own: sizes, sets of cores, durations, passwords. */
@NullMarked
package io.multimed.model.value;

import org.jspecify.annotations.NullMarked;
