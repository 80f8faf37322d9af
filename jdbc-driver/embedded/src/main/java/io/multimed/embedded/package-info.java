// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The dispatcher within the application: a connection to {@code jdbc:multimed:embedded:FILE} needs no other process
 * than the engines.
 */
@NullMarked
package io.multimed.embedded;

import org.jspecify.annotations.NullMarked;
