// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The settings with which the sessions of a node's engine begin. */
@NullMarked
package io.multimed.server.node.session;

import org.jspecify.annotations.NullMarked;
