// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** What one client has between its requests: transaction, time zone, pinned connection. */
@NullMarked
package io.multimed.server.dispatcher.session;

import org.jspecify.annotations.NullMarked;
