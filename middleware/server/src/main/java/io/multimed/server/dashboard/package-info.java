// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The dashboard: one page for browsers with the state of the running system, and its administration. */
@NullMarked
package io.multimed.server.dashboard;

import org.jspecify.annotations.NullMarked;
