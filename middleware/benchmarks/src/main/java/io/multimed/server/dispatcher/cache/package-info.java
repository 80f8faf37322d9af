/** Benchmarks of the result cache. */
@NullMarked
package io.multimed.server.dispatcher.cache;

import org.jspecify.annotations.NullMarked;
