// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The ports of the middleware: addresses, certificate, limits and accounts of clients, and monitoring. */
@NullMarked
package io.multimed.model.listen;

import org.jspecify.annotations.NullMarked;
