// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Connections of pgjdbc: settings, sessions, time zones, errors, and the queries that Multimed itself sends.
 */
@NullMarked
package io.multimed.engine.postgresql.connection;

import org.jspecify.annotations.NullMarked;
