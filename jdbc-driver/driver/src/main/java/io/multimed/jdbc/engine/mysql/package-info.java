// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * MySQL and MariaDB: the behavior of MySQL Connector/J.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.engine.mysql;

import org.jspecify.annotations.NullMarked;
