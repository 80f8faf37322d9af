/** The binary encoding of messages, their codes, and the constants that driver and middleware share. */
@NullMarked
package io.multimed.protocol.wire;

import org.jspecify.annotations.NullMarked;
