// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Connections of clients: frames, answers, and the memory that both need. Knows no sessions. */
@NullMarked
package io.multimed.server.communication.transport;

import org.jspecify.annotations.NullMarked;
