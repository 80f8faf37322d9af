/** Limits on the clients that are connected. */
@NullMarked
package io.multimed.server.communication.limit;

import org.jspecify.annotations.NullMarked;
