/**
 * Statements, prepared statements and calls.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.statement;

import org.jspecify.annotations.NullMarked;
