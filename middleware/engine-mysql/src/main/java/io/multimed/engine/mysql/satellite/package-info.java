// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The satellite's side: seeding, applying WriteSets, and snapshots for comparing copies (architecture 4.3 and 4.5). */
@NullMarked
package io.multimed.engine.mysql.satellite;

import org.jspecify.annotations.NullMarked;
