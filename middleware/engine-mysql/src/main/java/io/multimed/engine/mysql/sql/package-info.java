// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Parses and classifies SQL of MariaDB and MySQL (architecture 4.1 and 4.7). Nothing here changes the engine. */
@NullMarked
package io.multimed.engine.mysql.sql;

import org.jspecify.annotations.NullMarked;
