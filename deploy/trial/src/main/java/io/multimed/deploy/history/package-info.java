/** Recording what clients saw, and judging whether it was strong snapshot isolation. */
@NullMarked
package io.multimed.deploy.history;

import org.jspecify.annotations.NullMarked;
