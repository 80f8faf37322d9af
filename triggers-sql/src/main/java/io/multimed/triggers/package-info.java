/**
 * SQL that is installed in the engines (capture, extraction, DDL capture) and the code that fills in a relation.
 */
@NullMarked
package io.multimed.triggers;

import org.jspecify.annotations.NullMarked;
