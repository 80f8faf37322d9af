// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.protocol.response.Response;
import java.sql.Connection;
import java.sql.SQLException;

/** The JDBC calls of a request. The response carries no session status yet. */
@FunctionalInterface
public interface StatementAction {
    /** @param whole whether all rows must be read now, because the transaction ends with the statement */
    Response execute(Connection connection, boolean whole) throws SQLException;
}
