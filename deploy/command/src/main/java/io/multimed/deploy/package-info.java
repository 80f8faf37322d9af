/**
 * The multimed command: starts what a System Model describes, and the tools around it.
 */
@NullMarked
package io.multimed.deploy;

import org.jspecify.annotations.NullMarked;
