// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Logins of clients as roles of the master, with passwords that the master has checked. */
@NullMarked
package io.multimed.server.node.login;

import org.jspecify.annotations.NullMarked;
