/** The subcommands of multimed, one class each: options in, exit code out. What they do lives in the rooms beside. */
@NullMarked
package io.multimed.deploy.command;

import org.jspecify.annotations.NullMarked;
