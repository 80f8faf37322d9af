/**
 * PostgreSQL.
 */
@NullMarked
package io.multimed.engine.postgresql;

import org.jspecify.annotations.NullMarked;
