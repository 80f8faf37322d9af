// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Recognizes clients of other protocols, and refuses them in their own protocols. */
@NullMarked
package io.multimed.server.communication.foreign;

import org.jspecify.annotations.NullMarked;
