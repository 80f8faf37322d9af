// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Parses and classifies PostgreSQL's SQL. Nothing here changes the engine.
 */
@NullMarked
package io.multimed.engine.postgresql.sql;

import org.jspecify.annotations.NullMarked;
