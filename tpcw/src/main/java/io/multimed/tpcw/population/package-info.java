// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Size and content of the database (TPC-W clause 4). */
@NullMarked
package io.multimed.tpcw.population;

import org.jspecify.annotations.NullMarked;
