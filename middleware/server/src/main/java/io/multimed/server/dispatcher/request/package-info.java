// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** One request that needs an engine, and its reply. */
@NullMarked
package io.multimed.server.dispatcher.request;

import org.jspecify.annotations.NullMarked;
