// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.request;

import io.multimed.server.dispatcher.group.GroupedStatement;
import io.multimed.server.dispatcher.read.ShortRead;
import io.multimed.server.dispatcher.statement.StatementAction;
import org.jspecify.annotations.Nullable;

/** What a request makes an engine do, by the ways in which it may run there. */
public sealed interface StatementWork {
    /** Returns the JDBC calls, which run on a connection of their own. */
    StatementAction action();

    /** Returns the read, if it may run on a lane or its result may be kept; otherwise null. */
    default @Nullable ShortRead shortRead() {
        return null;
    }

    /** Returns the statement, if it may run inside a commit group; otherwise null. */
    default @Nullable GroupedStatement grouped() {
        return null;
    }

    /** A statement that runs on a connection of its own. */
    record Plain(StatementAction action) implements StatementWork {}

    /**
     * A description of a statement or of the catalog. Nothing that it makes the engine run may change rows, and what it
     * leaves in the engine's session may not reach other clients.
     */
    record Description(StatementAction action) implements StatementWork {}

    /** A read that may run on a lane, together with others, or whose result may be kept. */
    record Read(ShortRead shortRead) implements StatementWork {
        @Override
        public StatementAction action() {
            return shortRead;
        }
    }

    /** A statement that may run inside a commit group. */
    record Grouped(GroupedStatement grouped) implements StatementWork {
        @Override
        public StatementAction action() {
            return grouped;
        }
    }
}
