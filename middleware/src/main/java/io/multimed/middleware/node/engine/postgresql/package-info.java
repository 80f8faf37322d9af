/**
 * PostgreSQL.
 */
@NullMarked
package io.multimed.middleware.node.engine.postgresql;

import org.jspecify.annotations.NullMarked;
