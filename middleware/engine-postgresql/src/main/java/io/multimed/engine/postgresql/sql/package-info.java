/**
 * Parses and classifies PostgreSQL's SQL. Nothing here changes the engine.
 */
@NullMarked
package io.multimed.engine.postgresql.sql;

import org.jspecify.annotations.NullMarked;
