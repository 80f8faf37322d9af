// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Records the observations of clients, and checks whether the observations satisfy strong snapshot isolation. */
@NullMarked
package io.multimed.deploy.history;

import org.jspecify.annotations.NullMarked;
