/**
 * The commit order, the satellites' queues and appliers, recovery and reseeding (paper §3.2, Algorithm 1; design 4.2, 4.3, 4.5).
 */
@NullMarked
package io.multimed.server.propagation;

import org.jspecify.annotations.NullMarked;
