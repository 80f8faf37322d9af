// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** PostgreSQL: its binaries, data folders, settings and server process. */
@NullMarked
package io.multimed.deploy.launcher.postgresql;

import org.jspecify.annotations.NullMarked;
