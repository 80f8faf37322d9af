// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Routing classes: which reads may run at the same time, and which wait (paper §5.3, architecture 4.9). */
@NullMarked
package io.multimed.server.dispatcher.admission;

import org.jspecify.annotations.NullMarked;
