// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Benchmarks of parts of the middleware, without engines. They are run by hand (docs/performance.md, section 2); the
 * build only checks that each of them runs.
 */
@NullMarked
package io.multimed.benchmark;

import org.jspecify.annotations.NullMarked;
