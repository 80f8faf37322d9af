/** What a reply says of the session and of the engine behind it. */
@NullMarked
package io.multimed.protocol.session;

import org.jspecify.annotations.NullMarked;
