// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Connection poolers that users install, started in front of an engine for comparisons. Engines name their poolers;
 * this package knows processes, ports and folders only.
 */
@NullMarked
package io.multimed.deploy.launcher.pooler;

import org.jspecify.annotations.NullMarked;
