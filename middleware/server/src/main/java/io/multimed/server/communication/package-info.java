// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The asynchronous server (paper §3.3.4): MINA acceptor, framing, authentication, time limits, and one session per
 * connection. This package does not interpret SQL; sessions pass requests to the dispatcher.
 */
@NullMarked
package io.multimed.server.communication;

import org.jspecify.annotations.NullMarked;
