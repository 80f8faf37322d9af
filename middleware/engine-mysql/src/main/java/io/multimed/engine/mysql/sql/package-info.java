/**
 * Parses and classifies the family's SQL. Nothing here changes the engine.
 */
@NullMarked
package io.multimed.engine.mysql.sql;

import org.jspecify.annotations.NullMarked;
