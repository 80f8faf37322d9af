// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.settings;

import java.util.Properties;

/**
 * Describes where the sessions of a connection are opened, and for which user. Immutable but for the properties, which
 * are not changed after the connection was opened.
 *
 * @param properties the connection's properties, with the password and the timeouts
 */
public record SessionTarget(String host, int port, String database, String user, Properties properties) {}
