/**
 * The messages between driver and middleware: a closed set of requests and responses with a binary encoding. JDK only.
 *
 * <p>All messages are in this one package, because the classes of a sealed hierarchy must be in one package.
 */
@NullMarked
package io.multimed.protocol;

import org.jspecify.annotations.NullMarked;
