// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Tests of the behaviour of sessions through JDBC. */
@NullMarked
package io.multimed.server.session;

import org.jspecify.annotations.NullMarked;
