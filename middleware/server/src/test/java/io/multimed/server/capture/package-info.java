// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Tests of the capture by triggers, with and without the middleware. */
@NullMarked
package io.multimed.server.capture;

import org.jspecify.annotations.NullMarked;
