/** A whole System Model at work: engines and middleware, started in order and stopped in reverse. */
@NullMarked
package io.multimed.deploy.cluster;

import org.jspecify.annotations.NullMarked;
