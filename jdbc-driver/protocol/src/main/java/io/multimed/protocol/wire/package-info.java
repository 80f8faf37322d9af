/** The binary encoding of frames, and the constants on which both sides agree. */
@NullMarked
package io.multimed.protocol.wire;

import org.jspecify.annotations.NullMarked;
