// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The subcommands of multimed, one class for each: options and exit codes. Exit code 0 means success, 1 a failure, 2
 * wrong input. The other packages of this module do the work.
 */
@NullMarked
package io.multimed.deploy.command;

import org.jspecify.annotations.NullMarked;
