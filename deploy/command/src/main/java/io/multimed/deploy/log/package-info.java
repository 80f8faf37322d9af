// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The form of the log: text or JSON, one event per line. */
@NullMarked
package io.multimed.deploy.log;

import org.jspecify.annotations.NullMarked;
