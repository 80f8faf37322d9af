// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The engine's tasks on the master: capture, sealed WriteSets, fencing, DDL. */
@NullMarked
package io.multimed.engine.master;

import org.jspecify.annotations.NullMarked;
