// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The protocols of engines, as far as a port that speaks another protocol needs them to refuse their clients. */
@NullMarked
package io.multimed.engine.wire;

import org.jspecify.annotations.NullMarked;
