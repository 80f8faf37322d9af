// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Tests the driver with frameworks: each with its real library in its usual configuration; checks reads, the node that
 * answers, and writes.
 */
package io.multimed.compatibility.frameworks;
