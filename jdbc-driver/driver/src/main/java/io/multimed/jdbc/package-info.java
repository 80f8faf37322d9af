// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The API of the JDBC driver: the driver itself, data sources, and the extensions of connections and exceptions beyond
 * JDBC. Applications use this package only.
 *
 * <p>The packages below this package are internal. Each of them depends only on those before it in this list: {@code
 * support}, {@code settings}, {@code value}, {@code session}, {@code engine} and the families of engines in it, {@code
 * metadata}, {@code result}, {@code statement}, {@code connection}. If a package needs a part of a later one (a result
 * set, for example, needs its connection), it declares an interface for this role, which the later package implements.
 */
@NullMarked
package io.multimed.jdbc;

import org.jspecify.annotations.NullMarked;
