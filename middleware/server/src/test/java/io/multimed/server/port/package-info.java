// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Wrong input at the port for clients: before and after the login, with and without TLS. */
@NullMarked
package io.multimed.server.port;

import org.jspecify.annotations.NullMarked;
