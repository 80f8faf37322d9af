// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** What launchers of engines use of the machine: cores, memory, ports and commands. Knows no engine. */
@NullMarked
package io.multimed.deploy.launcher.machine;

import org.jspecify.annotations.NullMarked;
