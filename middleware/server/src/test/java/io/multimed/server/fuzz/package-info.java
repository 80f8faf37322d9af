// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Random schemas and statements, after which satellites must equal the master and new clients must find the initial
 * session state. These classes do not know the expected result of a statement.
 */
@NullMarked
package io.multimed.server.fuzz;

import org.jspecify.annotations.NullMarked;
