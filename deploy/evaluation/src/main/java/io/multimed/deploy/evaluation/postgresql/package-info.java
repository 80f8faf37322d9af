// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Figures of PostgreSQL, some of which need its statistics. */
@NullMarked
package io.multimed.deploy.evaluation.postgresql;

import org.jspecify.annotations.NullMarked;
