/** Real engines and a middleware over them, and other helpers of the tests. */
@NullMarked
package io.multimed.server.testing;

import org.jspecify.annotations.NullMarked;
