// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The master's side: installs capture, seals and reads WriteSets, fences other middlewares off, records DDL. */
@NullMarked
package io.multimed.engine.mysql.master;

import org.jspecify.annotations.NullMarked;
