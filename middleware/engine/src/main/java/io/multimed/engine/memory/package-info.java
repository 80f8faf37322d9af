/** The bounded memory for clients' requests and results, and how much of it an engine's result takes. */
@NullMarked
package io.multimed.engine.memory;

import org.jspecify.annotations.NullMarked;
