/**
 * The System Model (paper §3.3.3): the YAML that describes all nodes, what is replicated where, and routing. Immutable records,
 * valid by construction. Nothing here opens a socket or knows an engine's SQL.
 */
@NullMarked
package io.multimed.model;

import org.jspecify.annotations.NullMarked;
