// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Threads and connections of the master for statements that run inside commit groups (architecture 4.6). */
@NullMarked
package io.multimed.server.node.group;

import org.jspecify.annotations.NullMarked;
