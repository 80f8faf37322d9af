// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The interface that a database engine implements, and code that engines share. The middleware depends on this package
 * and its subpackages, and on no engine (architecture 3).
 */
@NullMarked
package io.multimed.engine;

import org.jspecify.annotations.NullMarked;
