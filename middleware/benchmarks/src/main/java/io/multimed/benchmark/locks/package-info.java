// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * A Java agent that measures how long the locks of a running middleware are held, and how long threads wait for them:
 * {@code java -javaagent:benchmarks.jar=FILE}.
 */
@NullMarked
package io.multimed.benchmark.locks;

import org.jspecify.annotations.NullMarked;
