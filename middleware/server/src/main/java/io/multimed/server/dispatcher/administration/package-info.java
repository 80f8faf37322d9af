/** What Multimed answers and does by itself: SHOW MULTIMED, satellites that come and go, verification. */
@NullMarked
package io.multimed.server.dispatcher.administration;

import org.jspecify.annotations.NullMarked;
