/**
 * Values: parameters made of what applications set, conversions of what results hold, arrays, large values and XML.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.value;

import org.jspecify.annotations.NullMarked;
