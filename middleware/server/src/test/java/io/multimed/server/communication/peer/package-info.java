// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Tests of the accounts of local clients. */
@NullMarked
package io.multimed.server.communication.peer;

import org.jspecify.annotations.NullMarked;
