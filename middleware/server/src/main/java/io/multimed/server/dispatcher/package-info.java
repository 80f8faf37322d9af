/**
 * Binds each transaction to a node (paper §3.3.2): classifies statements, waits for freshness, runs a client's requests where its transaction lives.
 */
@NullMarked
package io.multimed.server.dispatcher;

import org.jspecify.annotations.NullMarked;
