// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.settings;

import java.util.Properties;

/**
 * Describes where the sessions of a connection are opened, and for which user. Immutable but for the properties, which
 * are not changed after the connection was opened.
 *
 * @param model the file of the System Model whose dispatcher runs in this process; empty for the default model
 * @param host empty for a dispatcher in this process
 * @param properties the connection's properties, with the password and the timeouts
 */
public record SessionTarget(String model, String host, int port, String database, String user, Properties properties) {
    /** Returns whether the sessions are those of a dispatcher in this process. */
    public boolean isEmbedded() {
        return host.isEmpty();
    }
}
