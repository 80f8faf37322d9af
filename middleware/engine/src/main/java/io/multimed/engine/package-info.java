/**
 * What differs from engine to engine, behind interfaces. The only place, with its subpackages, that names an engine.
 */
@NullMarked
package io.multimed.engine;

import org.jspecify.annotations.NullMarked;
