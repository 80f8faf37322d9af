// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Benchmarks of a single operation: a read, a commit, or a transaction. */
@NullMarked
package io.multimed.deploy.bench;

import org.jspecify.annotations.NullMarked;
