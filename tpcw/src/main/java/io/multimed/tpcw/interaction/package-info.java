/** The 14 web interactions, database view: one class each, SQL first, then the steps. */
@NullMarked
package io.multimed.tpcw.interaction;

import org.jspecify.annotations.NullMarked;
