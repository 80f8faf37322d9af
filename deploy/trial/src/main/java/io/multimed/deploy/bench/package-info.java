/** Small measurements of one thing at a time: commits, point reads. */
@NullMarked
package io.multimed.deploy.bench;

import org.jspecify.annotations.NullMarked;
