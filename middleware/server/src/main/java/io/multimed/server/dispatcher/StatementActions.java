// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.sql.Classification;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.Warning;
import io.multimed.server.dispatcher.admission.StatementCosts;
import io.multimed.server.dispatcher.classification.AsynchronousClassifier;
import io.multimed.server.dispatcher.classification.ClassifiedText;
import io.multimed.server.dispatcher.group.GroupedStatement;
import io.multimed.server.dispatcher.group.GroupedStatements;
import io.multimed.server.dispatcher.read.ReadTexts;
import io.multimed.server.dispatcher.read.ShortRead;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.request.StatementWork;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.statement.StatementAction;
import io.multimed.server.dispatcher.statement.StatementRunner;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Adds to the JDBC calls of one client's statements what their classification requires. */
final class StatementActions {
    private static final String NOT_IN_TRANSACTION = "25P01";

    private final AsynchronousClassifier classifier;
    private final GroupedStatements groupedStatements;
    private final ReadTexts reads;
    private final SqlDialect dialect;
    private final StatementRunner runner;
    private final ClientContext client;

    StatementActions(
            AsynchronousClassifier classifier,
            GroupedStatements groupedStatements,
            ReadTexts reads,
            SqlDialect dialect,
            StatementRunner runner,
            ClientContext client) {
        this.classifier = classifier;
        this.groupedStatements = groupedStatements;
        this.reads = reads;
        this.dialect = dialect;
        this.runner = runner;
        this.client = client;
    }

    /**
     * Returns the work of a statement: what can run on the lane of a node or inside a commit group, if the statement is
     * suitable.
     *
     * @param mode of the statement's transaction: that of the request, unless SQL has set another one
     * @param precedesWrites as {@link StatementTask#precedesWrites}
     */
    StatementWork of(
            ClassifiedText text,
            Execute request,
            TransactionMode mode,
            boolean precedesWrites,
            StatementAction action) {
        Classification classification = text.classification();
        if (classification.has(Classification.Trait.PREPARES)) {
            return new StatementWork.Plain(withPreparedTextClassified(text, action));
        }
        if (classification.has(Classification.Trait.DEFAULT_QUOTING)) {
            return new StatementWork.Plain(withDefaultQuoting(classification, action));
        }
        if (mode.autoCommit() && classification.has(Classification.Trait.NEEDS_TRANSACTION)) {
            return new StatementWork.Plain(refused("ERROR: " + classification.refusal()));
        }
        if (mode.autoCommit() && classification.has(Classification.Trait.WARNS_OUTSIDE_TRANSACTIONS)) {
            return new StatementWork.Plain(withWarning(classification.refusal(), action));
        }
        if (classification.isPureRead() && (mode.autoCommit() || mode.readOnly() || precedesWrites)) {
            ShortRead read = reads.of(text, client.zone().present(), request, runner, action);
            return read == null ? new StatementWork.Plain(action) : new StatementWork.Read(read);
        }
        if (classification.kind() != Classification.Kind.MASTER
                || classification.review() != Classification.Review.NEVER
                || classification.has(Classification.Trait.ASKS_LAST_KEY)
                || classification.has(Classification.Trait.MAY_HANDLE_ERRORS)
                || classification.has(Classification.Trait.MAY_DEFER)
                || !mode.autoCommit()) {
            return new StatementWork.Plain(action);
        }
        Set<String> shareable = classification.has(Classification.Trait.SHAREABLE) ? classification.tables() : Set.of();
        GroupedStatement grouped = groupedStatements.of(client.role(), text, shareable, request, mode, runner, action);
        return grouped == null ? new StatementWork.Plain(action) : new StatementWork.Grouped(grouped);
    }

    /** The statement would not fail in the transaction that the middleware begins for one statement. */
    private static StatementAction refused(String text) {
        return (connection, whole) -> {
            throw new SQLException(text, NOT_IN_TRANSACTION);
        };
    }

    private static StatementAction withWarning(String text, StatementAction action) {
        return (connection, whole) -> {
            Response response = action.execute(connection, whole);
            if (!(response instanceof Executed executed)) {
                return response;
            }
            List<Warning> warnings = new ArrayList<>(executed.warnings());
            warnings.add(new Warning(NOT_IN_TRANSACTION, 0, text));
            return new Executed(executed.status(), executed.outcomes(), executed.keys(), warnings);
        };
    }

    /**
     * Returns an action for a statement that precedes queries, after queries of its transaction that have run although
     * no node has begun the transaction: the engine then answers as if the queries had run there.
     */
    StatementAction afterQueries(Classification classification, StatementAction action) {
        return classification.has(Classification.Trait.PRECEDES_QUERIES)
                ? (connection, whole) -> {
                    dialect.transactions().beginSnapshot(connection);
                    return action.execute(connection, whole);
                }
                : action;
    }

    /** Returns an action that records the time of a read, if a routing class depends on it: costs is not null. */
    static StatementAction measured(String sql, @Nullable StatementCosts costs, StatementAction action) {
        if (costs == null) {
            return action;
        }
        return (connection, whole) -> {
            long begin = System.nanoTime();
            boolean succeeded = false;
            try {
                Response response = action.execute(connection, whole);
                succeeded = true;
                return response;
            } finally {
                long nanos = System.nanoTime() - begin;
                if (succeeded) {
                    costs.ran(sql, nanos);
                } else {
                    costs.failed(sql, nanos);
                }
            }
        };
    }

    /** Returns an action that requires, for a statement that makes the transaction read-only, one without changes. */
    StatementAction unlessChanged(Classification classification, StatementAction action) {
        return classification.has(Classification.Trait.FORBIDS_CHANGES)
                        && client.transaction().isOpen()
                        && client.transaction().hasChangedData()
                ? (connection, whole) -> {
                    dialect.transactions().requireUnchanged(connection);
                    return action.execute(connection, whole);
                }
                : action;
    }

    /**
     * Has the engine return the text that the statement prepares, on the same connection, and classifies this text
     * before the engine executes the statement.
     */
    private StatementAction withPreparedTextClassified(ClassifiedText text, StatementAction action) {
        return (connection, whole) -> {
            Classification inner = classifier.classifyNow(dialect.sessions().preparedText(connection, text.sql()));
            if (!inner.canBePrepared()) {
                throw new SQLException(
                        inner.kind() == Classification.Kind.REFUSED
                                ? inner.refusal()
                                : "a prepared statement that begins or ends a transaction, or commits as DDL does, is not supported through Multimed: send it as a statement of its own",
                        "0A000");
            }
            client.transaction().noteSessionEffects(withUnknownParameters(inner));
            return action.execute(connection, whole);
        };
    }

    /** Returns the classification of a prepared statement, whose parameters are variables of the session. */
    private Classification withUnknownParameters(Classification inner) {
        return inner.withSettings(inner.settings().stream()
                .map(setting -> dialect.sessions().bound(setting, List.of()))
                .collect(Collectors.toSet()));
    }

    /** Refuses a statement that was parsed with the engine's default quoting rules if the session has other rules. */
    StatementAction withDefaultQuoting(Classification classification, StatementAction action) {
        if (!classification.has(Classification.Trait.DEFAULT_QUOTING)) {
            return action;
        }
        return (connection, whole) -> {
            dialect.sessions().requireDefaultQuoting(connection);
            return action.execute(connection, whole);
        };
    }
}
