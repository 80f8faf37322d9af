// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Roles of the master: logins of clients with passwords that the master has checked, and connections as roles. */
@NullMarked
package io.multimed.server.node.login;

import org.jspecify.annotations.NullMarked;
