/**
 * How the text of SQL is read for routing, as far as engines agree: words and signs, the proof that a query is a pure read, and what is concluded of a statement. What an
 * engine's own language adds is in the engine's folder.
 */
@NullMarked
package io.multimed.engine.sql;

import org.jspecify.annotations.NullMarked;
