/** Statements of administrators, and the listening address. */
@NullMarked
package io.multimed.server.administration;

import org.jspecify.annotations.NullMarked;
