// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.dialect;

import io.multimed.engine.sql.SqlReader;

/**
 * The facts about an engine's SQL, sessions, results and errors on which routing depends, by subject. If a fact is
 * uncertain, the answer must lead to the master.
 */
public record SqlDialect(
        ErrorClassifier errors,
        SessionSettings sessions,
        TransactionSettings transactions,
        ResultStreaming streaming,
        CatalogReader catalog,
        SqlReader reader,
        EngineValues values) {}
