// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The exact result cache (architecture 4.8): results of reads are kept until a change may matter to them. */
@NullMarked
package io.multimed.server.dispatcher.cache;

import org.jspecify.annotations.NullMarked;
