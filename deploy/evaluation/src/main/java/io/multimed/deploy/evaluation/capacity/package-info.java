// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * A model of what this machine cannot show: throughput and response time on more cores and satellites, fed with service
 * times that were measured here, and checked against the points that were measured.
 */
@NullMarked
package io.multimed.deploy.evaluation.capacity;

import org.jspecify.annotations.NullMarked;
