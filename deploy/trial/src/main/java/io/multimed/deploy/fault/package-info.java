// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Injects real faults: kills or stops processes, fills disks, cuts connections. Affects only processes that this
 * process started.
 */
@NullMarked
package io.multimed.deploy.fault;

import org.jspecify.annotations.NullMarked;
