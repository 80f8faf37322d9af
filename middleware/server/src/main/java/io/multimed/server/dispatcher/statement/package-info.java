/** Execution of statements on an engine's connection: parameters, results, cursors, and large values. */
@NullMarked
package io.multimed.server.dispatcher.statement;

import org.jspecify.annotations.NullMarked;
