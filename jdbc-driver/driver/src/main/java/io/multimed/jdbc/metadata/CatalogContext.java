// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.metadata;

import io.multimed.jdbc.session.SessionContext;
import io.multimed.protocol.response.Outcome;
import java.sql.Connection;
import java.sql.ResultSet;

/** Shows a connection to its DatabaseMetaData. */
public interface CatalogContext extends SessionContext, Connection {
    /** Returns a scrollable result set of rows that the middleware has sent. */
    ResultSet resultSet(Outcome.Rowset rows);
}
