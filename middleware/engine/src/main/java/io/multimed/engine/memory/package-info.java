// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The bounded memory for clients' requests and results, and the measurement of an engine's results. */
@NullMarked
package io.multimed.engine.memory;

import org.jspecify.annotations.NullMarked;
