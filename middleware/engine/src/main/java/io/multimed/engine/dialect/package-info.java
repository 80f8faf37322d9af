/**
 * What the middleware must know of an engine's SQL, sessions, results and errors.
 */
@NullMarked
package io.multimed.engine.dialect;

import org.jspecify.annotations.NullMarked;
