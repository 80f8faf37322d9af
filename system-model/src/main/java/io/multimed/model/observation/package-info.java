// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** What the middleware records about the work of its clients: slow statements, the audit log, tracing. */
@NullMarked
package io.multimed.model.observation;

import org.jspecify.annotations.NullMarked;
