// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Values and catalog metadata as clients receive them.
 */
@NullMarked
package io.multimed.engine.postgresql.result;

import org.jspecify.annotations.NullMarked;
