/**
 * Wires the middleware's parts, starts and stops them in order. Holds no logic of its own.
 */
@NullMarked
package io.multimed.server;

import org.jspecify.annotations.NullMarked;
