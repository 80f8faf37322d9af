// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The satellite's side: seeding, applying WriteSets, and snapshots for comparing copies.
 */
@NullMarked
package io.multimed.engine.postgresql.satellite;

import org.jspecify.annotations.NullMarked;
