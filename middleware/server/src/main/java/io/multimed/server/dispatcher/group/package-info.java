// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Single statements that run inside commit groups, alone or together with others in a shared transaction. */
@NullMarked
package io.multimed.server.dispatcher.group;

import org.jspecify.annotations.NullMarked;
