// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.liveness;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens a connection to an engine, within a bounded time. */
@FunctionalInterface
public interface ConnectionOpener {
    Connection open() throws SQLException;
}
