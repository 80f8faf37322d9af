// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

/**
 * The present value of one metric.
 *
 * @param labels such as {@code node=master, role=master}; empty without labels
 */
public record MetricSample(String name, String labels, double value) {}
