// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Output on a terminal: tables and progress. */
@NullMarked
package io.multimed.deploy.terminal;

import org.jspecify.annotations.NullMarked;
