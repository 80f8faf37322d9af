/**
 * The subcommands of multimed, one class for each: options and exit codes. The other packages of this module do the
 * work.
 */
@NullMarked
package io.multimed.deploy.command;

import org.jspecify.annotations.NullMarked;
