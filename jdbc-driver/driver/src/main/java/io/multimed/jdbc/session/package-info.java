// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Sessions of the middleware: the socket, the handshake, requests, and the recovery from a lost connection.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.session;

import org.jspecify.annotations.NullMarked;
