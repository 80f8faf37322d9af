// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The messages from the middleware, each a reply to one request. All are in this package, because Java requires the
 * classes of a sealed hierarchy to be in one package.
 */
@NullMarked
package io.multimed.protocol.response;

import org.jspecify.annotations.NullMarked;
