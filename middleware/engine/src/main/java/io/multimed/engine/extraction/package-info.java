// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Extraction of WriteSets: the engine reads the captured changes inside the transaction that made them (paper §3.2.2),
 * and seals them (architecture 4.3). This package contains the interfaces and the format of captured changes; {@code
 * propagation.commit} decides when a transaction commits.
 */
@NullMarked
package io.multimed.engine.extraction;

import org.jspecify.annotations.NullMarked;
