// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The commit order of the master (paper §3.2): groups, durability, publication, certification, and transactions that
 * bypass the middleware.
 */
@NullMarked
package io.multimed.server.propagation.commit;

import org.jspecify.annotations.NullMarked;
