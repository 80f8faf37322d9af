// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * SQL that is installed in the engines (capture, extraction, DDL capture) and the code that fills in a relation.
 */
@NullMarked
package io.multimed.triggers;

import org.jspecify.annotations.NullMarked;
