// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Tracing by OpenTelemetry: the only package that knows its SDK. */
@NullMarked
package io.multimed.server.tracing;

import org.jspecify.annotations.NullMarked;
