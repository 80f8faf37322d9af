/** The master's side: installs capture, seals and reads WriteSets, fences other middlewares off, records DDL. */
@NullMarked
package io.multimed.engine.mysql.master;

import org.jspecify.annotations.NullMarked;
