// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Where the tasks of sessions run, if not on the threads of nodes. */
@NullMarked
package io.multimed.server.node.task;

import org.jspecify.annotations.NullMarked;
