// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Closed queueing networks. Pure computations: nothing here knows databases. */
@NullMarked
package io.multimed.deploy.evaluation.capacity.queueing;

import org.jspecify.annotations.NullMarked;
