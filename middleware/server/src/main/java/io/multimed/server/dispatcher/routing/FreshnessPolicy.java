// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.routing;

/**
 * Determines what a read does when no satellite is fresh enough (architecture 4.1).
 *
 * @param waitMillis maximum time that the read waits for a satellite
 * @param thenMaster whether the read runs on the master after that time; otherwise it fails
 */
public record FreshnessPolicy(long waitMillis, boolean thenMaster) {}
