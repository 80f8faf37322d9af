// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Parsing and classification of SQL, as far as engines agree: tokens, statements, and the proof that a query is a pure
 * read (architecture 4.1). Engines add their lexical rules and their words.
 */
@NullMarked
package io.multimed.engine.sql;

import org.jspecify.annotations.NullMarked;
