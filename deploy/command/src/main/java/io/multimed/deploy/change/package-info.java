/** Subcommands that change a running system: another System Model, and restarts of engines. */
@NullMarked
package io.multimed.deploy.change;

import org.jspecify.annotations.NullMarked;
