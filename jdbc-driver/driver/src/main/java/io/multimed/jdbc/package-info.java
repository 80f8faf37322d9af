/**
 * The API of the JDBC driver: the driver itself, data sources, and what connections and exceptions offer beyond JDBC. Only
 * this package is for applications.
 *
 * <p>The packages below this one are internal. Each of them depends on those before it only: {@code support},
 * {@code settings}, {@code value}, {@code session}, {@code engine} (the engine families), {@code metadata}, {@code result},
 * {@code statement}, {@code connection}. A package that needs something of a later one, such as a statement of its
 * connection, declares an interface for this role, which the later one implements.
 */
@NullMarked
package io.multimed.jdbc;

import org.jspecify.annotations.NullMarked;
