package io.multimed.engine.dialect;

import io.multimed.engine.sql.SqlReader;

/**
 * The facts about an engine's SQL, sessions, results and errors on which routing depends. If a fact is uncertain, the
 * answer must lead to the master. An engine implements the roles one by one and composes them, see {@link
 * ComposedDialect}.
 */
public interface SqlDialect
        extends ErrorClassifier, SessionSettings, TransactionSettings, ResultStreaming, CatalogReader {
    SqlReader reader();

    EngineValues values();
}
