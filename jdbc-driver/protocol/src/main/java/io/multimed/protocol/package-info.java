/**
 * The messages between driver and middleware: a closed set of requests and responses with a binary encoding. Depends on
 * the JDK only.
 *
 * <p>All messages are in this package, because Java requires the classes of a sealed hierarchy to be in one package.
 */
@NullMarked
package io.multimed.protocol;

import org.jspecify.annotations.NullMarked;
