// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The messages from a client, and the interface that handles them. All are in this package, because Java requires the
 * classes of a sealed hierarchy to be in one package.
 */
@NullMarked
package io.multimed.protocol.request;

import org.jspecify.annotations.NullMarked;
