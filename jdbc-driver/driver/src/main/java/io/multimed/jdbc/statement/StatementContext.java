// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.statement;

import io.multimed.jdbc.result.ResultContext;
import io.multimed.jdbc.result.UnreadResults;
import java.sql.Connection;

/** Shows a connection to its statements. */
public interface StatementContext extends ResultContext, Connection {
    int defaultFetchSize();

    /** Returns the results whose remaining rows are fetched before the transaction ends. */
    UnreadResults unread();
}
