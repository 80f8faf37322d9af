// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Reports in three formats: text, JSON, HTML. */
@NullMarked
package io.multimed.tpcw.report;

import org.jspecify.annotations.NullMarked;
