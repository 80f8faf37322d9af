// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The differences between two System Models, and what each of them means for a running system. */
@NullMarked
package io.multimed.model.change;

import org.jspecify.annotations.NullMarked;
