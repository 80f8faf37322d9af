// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The differences between engines: {@link io.multimed.jdbc.engine.EngineFamily} and the objects that a family creates.
 *
 * <p>Internal: applications use {@code io.multimed.jdbc} only.
 */
@NullMarked
package io.multimed.jdbc.engine;

import org.jspecify.annotations.NullMarked;
