/** What MySQL Connector/J makes of values, for MySQL and MariaDB alike. */
@NullMarked
package io.multimed.jdbc.mysql;

import org.jspecify.annotations.NullMarked;
