/** The binary encoding of frames, and the constants that driver and middleware share. */
@NullMarked
package io.multimed.protocol.wire;

import org.jspecify.annotations.NullMarked;
