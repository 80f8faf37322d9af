// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The System Model (paper §3.3.3): the YAML file that defines all nodes, the tables that each holds, and routing.
 * Consists of immutable records, which are valid once constructed. Opens no socket and knows no engine's SQL.
 */
@NullMarked
package io.multimed.model;

import org.jspecify.annotations.NullMarked;
