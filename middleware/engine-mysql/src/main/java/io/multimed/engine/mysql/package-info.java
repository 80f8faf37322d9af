// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * MariaDB and MySQL through MySQL Connector/J: pools, capture, extraction, satellites, dialect. The SQL and the
 * protocol of both engines are one family; docs/engines.md lists the differences.
 */
@NullMarked
package io.multimed.engine.mysql;

import org.jspecify.annotations.NullMarked;
