// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * What operators learn about single statements: the time of their phases, and which statements are slow. Knows no other
 * package of the server but the names of threads.
 */
@NullMarked
package io.multimed.server.observation;

import org.jspecify.annotations.NullMarked;
