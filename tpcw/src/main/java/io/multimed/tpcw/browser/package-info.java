/** Emulated browsers: what one clicks after the other, what a user's session remembers. */
@NullMarked
package io.multimed.tpcw.browser;

import org.jspecify.annotations.NullMarked;
