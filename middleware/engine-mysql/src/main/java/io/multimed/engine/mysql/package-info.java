/**
 * MariaDB and MySQL, whose SQL and protocol are one family, through MySQL Connector/J: pools, capture, extraction, satellites, dialect.
 */
@NullMarked
package io.multimed.engine.mysql;

import org.jspecify.annotations.NullMarked;
