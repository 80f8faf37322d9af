// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Tables, indexes and their SQL, in one folder of .sql files for each engine. */
@NullMarked
package io.multimed.tpcw.schema;

import org.jspecify.annotations.NullMarked;
