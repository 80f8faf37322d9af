// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Values of parameters and rows, descriptions of columns, error fields, and the encoding of all these. */
@NullMarked
package io.multimed.protocol.value;

import org.jspecify.annotations.NullMarked;
