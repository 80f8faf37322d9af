package io.multimed.jdbc.statement;

import io.multimed.jdbc.result.ResultContext;
import io.multimed.jdbc.result.UnreadResults;
import java.sql.Connection;

/** A connection as its statements see it. */
public interface StatementContext extends ResultContext, Connection {
    /** Returns the fetch size of statements that set none. */
    int defaultFetchSize();

    /** Returns the results whose remaining rows are read before the transaction ends. */
    UnreadResults unread();
}
