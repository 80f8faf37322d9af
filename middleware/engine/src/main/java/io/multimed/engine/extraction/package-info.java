/**
 * Reads what the triggers captured, inside the transaction that changed it (paper §3.2.2), and seals it (architecture 4.3). The interface that a node's engine
 * implements, and the form of a captured change; nothing that decides when.
 */
@NullMarked
package io.multimed.engine.extraction;

import org.jspecify.annotations.NullMarked;
