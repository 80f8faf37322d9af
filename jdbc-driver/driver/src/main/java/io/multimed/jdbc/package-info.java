/**
 * The JDBC driver: the java.sql classes over one blocking socket. No third-party dependency.
 */
@NullMarked
package io.multimed.jdbc;

import org.jspecify.annotations.NullMarked;
