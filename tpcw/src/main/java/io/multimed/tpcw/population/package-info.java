/** How much data there is, and what is in it (TPC-W clause 4). */
@NullMarked
package io.multimed.tpcw.population;

import org.jspecify.annotations.NullMarked;
