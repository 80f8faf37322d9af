// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Parts of requests that describe the statement to run: text, options, transaction mode. */
@NullMarked
package io.multimed.protocol.statement;

import org.jspecify.annotations.NullMarked;
