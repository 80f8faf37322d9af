// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * Random statements and changes for the result cache: each answer must be the one that the master gives at this moment.
 */
@NullMarked
package io.multimed.server.resultcache;

import org.jspecify.annotations.NullMarked;
