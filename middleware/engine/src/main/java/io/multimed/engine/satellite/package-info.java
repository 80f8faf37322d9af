// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The engine's tasks on satellites: seeding, applying WriteSets, comparing copies. */
@NullMarked
package io.multimed.engine.satellite;

import org.jspecify.annotations.NullMarked;
