// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** What a text of a client may do: its classification, without which no such text reaches an engine. */
@NullMarked
package io.multimed.server.dispatcher.classification;

import org.jspecify.annotations.NullMarked;
