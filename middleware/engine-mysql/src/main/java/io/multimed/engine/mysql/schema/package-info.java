// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Reads tables, views, columns and server settings from the engine's catalog, in the form in which changes are
 * captured and applied.
 */
@NullMarked
package io.multimed.engine.mysql.schema;

import org.jspecify.annotations.NullMarked;
