// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Short reads that stand alone, which run on the lanes of a node, and together if they have the same text. */
@NullMarked
package io.multimed.server.dispatcher.read;

import org.jspecify.annotations.NullMarked;
