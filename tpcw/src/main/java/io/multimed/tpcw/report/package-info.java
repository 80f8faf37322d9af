/** Reports in three formats: text, JSON, HTML. */
@NullMarked
package io.multimed.tpcw.report;

import org.jspecify.annotations.NullMarked;
