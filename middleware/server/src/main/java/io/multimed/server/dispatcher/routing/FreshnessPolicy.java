package io.multimed.server.dispatcher.routing;

/**
 * What a read does when no satellite is fresh enough at once (design 4.1).
 *
 * @param waitMillis how long it waits for one
 * @param thenMaster whether it then runs on the master; otherwise it fails
 */
public record FreshnessPolicy(long waitMillis, boolean thenMaster) {}
