// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Subcommands that change a running system: another System Model, and restarts of engines. */
@NullMarked
package io.multimed.deploy.change;

import org.jspecify.annotations.NullMarked;
