// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import io.multimed.model.value.Secret;

/**
 * Access to an engine that Multimed does not start.
 *
 * @param url JDBC URL of the engine's own driver
 * @param user the engine's user as which Multimed connects
 */
public record ExternalConnection(String url, String user, Secret password) {}
