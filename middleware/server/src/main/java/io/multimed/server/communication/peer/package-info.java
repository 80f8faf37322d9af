// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The accounts of this machine under which local clients run. */
@NullMarked
package io.multimed.server.communication.peer;

import org.jspecify.annotations.NullMarked;
