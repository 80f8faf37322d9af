// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** What reads of single tables need: the last SCN that changed each table (architecture 4.1). */
@NullMarked
package io.multimed.server.propagation.freshness;

import org.jspecify.annotations.NullMarked;
