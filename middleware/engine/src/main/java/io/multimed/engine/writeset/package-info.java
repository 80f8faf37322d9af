// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The changes of an update transaction as values: SCN, WriteSet, changes (paper §3.2.2). Independent of JDBC and of
 * engines.
 */
@NullMarked
package io.multimed.engine.writeset;

import org.jspecify.annotations.NullMarked;
