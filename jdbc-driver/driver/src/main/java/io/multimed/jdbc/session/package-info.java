/**
 * Sessions of the middleware: the socket, the handshake, requests, and what happens when a connection is lost.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.session;

import org.jspecify.annotations.NullMarked;
