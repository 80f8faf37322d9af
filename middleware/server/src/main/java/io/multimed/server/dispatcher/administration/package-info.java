// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Administrative statements: SHOW MULTIMED, changes of satellites at run time, verification of satellites. */
@NullMarked
package io.multimed.server.dispatcher.administration;

import org.jspecify.annotations.NullMarked;
