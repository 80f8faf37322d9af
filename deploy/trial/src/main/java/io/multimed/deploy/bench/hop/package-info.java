// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Comparison of the ways to one engine, side by side: the engine's own driver, Multimed, and connection poolers, each
 * with few and with many clients.
 */
@NullMarked
package io.multimed.deploy.bench.hop;

import org.jspecify.annotations.NullMarked;
