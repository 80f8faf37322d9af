/**
 * MySQL and MariaDB, which are one family: through MySQL Connector/J.
 */
@NullMarked
package io.multimed.middleware.node.engine.mysql;

import org.jspecify.annotations.NullMarked;
