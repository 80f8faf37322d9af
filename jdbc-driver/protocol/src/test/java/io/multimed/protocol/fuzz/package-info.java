// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Generators of wrong input for the protocol, for the tests of the codec and of the middleware's port. */
@NullMarked
package io.multimed.protocol.fuzz;

import org.jspecify.annotations.NullMarked;
