// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The multimed command, which starts a System Model and contains the tools for operators. */
@NullMarked
package io.multimed.deploy;

import org.jspecify.annotations.NullMarked;
