/** What the triggers capture, with and without the middleware. */
@NullMarked
package io.multimed.server.capture;

import org.jspecify.annotations.NullMarked;
