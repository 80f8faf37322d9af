// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The state of a session and the identity of the engine, as parts of replies. */
@NullMarked
package io.multimed.protocol.session;

import org.jspecify.annotations.NullMarked;
