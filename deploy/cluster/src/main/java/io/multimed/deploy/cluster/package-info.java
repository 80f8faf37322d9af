// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Runs a whole System Model: engines and middleware, started in order and stopped in reverse order. */
@NullMarked
package io.multimed.deploy.cluster;

import org.jspecify.annotations.NullMarked;
