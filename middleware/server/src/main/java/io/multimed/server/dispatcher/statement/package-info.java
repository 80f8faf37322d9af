/** Statements on an engine's connection: parameters, results, cursors, large values. */
@NullMarked
package io.multimed.server.dispatcher.statement;

import org.jspecify.annotations.NullMarked;
