// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The database accesses of the 14 web interactions, one class for each: first the SQL, then the steps. */
@NullMarked
package io.multimed.tpcw.interaction;

import org.jspecify.annotations.NullMarked;
