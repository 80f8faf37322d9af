// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Runs plans on the master, inside commit groups, and on satellites, and replies. */
@NullMarked
package io.multimed.server.dispatcher.execution;

import org.jspecify.annotations.NullMarked;
