/**
 * The master's side: installing capture, sealing and reading WriteSets, fencing, DDL.
 */
@NullMarked
package io.multimed.engine.mysql.master;

import org.jspecify.annotations.NullMarked;
