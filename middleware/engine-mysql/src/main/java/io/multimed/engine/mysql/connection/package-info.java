// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Connections of MySQL Connector/J: settings, sessions, errors, and the queries that Multimed itself sends. */
@NullMarked
package io.multimed.engine.mysql.connection;

import org.jspecify.annotations.NullMarked;
