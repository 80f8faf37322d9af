// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The facts about an engine's SQL, sessions, results and errors on which the middleware depends. */
@NullMarked
package io.multimed.engine.dialect;

import org.jspecify.annotations.NullMarked;
