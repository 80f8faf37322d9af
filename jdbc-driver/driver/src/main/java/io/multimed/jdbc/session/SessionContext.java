// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.protocol.statement.TransactionMode;

/** The role in which objects that send requests see a connection. */
public interface SessionContext {
    SessionChannel channel();

    /** Returns the transaction mode that statements carry: auto-commit, read-only and isolation. */
    TransactionMode mode();
}
