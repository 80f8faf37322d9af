// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Execution of statements on an engine's connection: parameters, results, cursors, and large values. */
@NullMarked
package io.multimed.server.dispatcher.statement;

import org.jspecify.annotations.NullMarked;
