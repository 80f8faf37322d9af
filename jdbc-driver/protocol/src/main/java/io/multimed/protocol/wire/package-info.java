// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The binary encoding of messages, their codes, and the constants that driver and middleware share. */
@NullMarked
package io.multimed.protocol.wire;

import org.jspecify.annotations.NullMarked;
