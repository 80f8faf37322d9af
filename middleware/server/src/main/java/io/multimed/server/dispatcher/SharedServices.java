// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.server.audit.AuditLog;
import io.multimed.server.dispatcher.administration.AdministrationExecutor;
import io.multimed.server.dispatcher.administration.StatusReport;
import io.multimed.server.dispatcher.admission.RoutingClasses;
import io.multimed.server.dispatcher.admission.StatementLimits;
import io.multimed.server.dispatcher.cache.ResultCache;
import io.multimed.server.dispatcher.classification.AsynchronousClassifier;
import io.multimed.server.dispatcher.execution.ServerContext;
import io.multimed.server.dispatcher.group.GroupedStatements;
import io.multimed.server.dispatcher.read.ReadTexts;
import io.multimed.server.dispatcher.rights.RoleRights;
import io.multimed.server.dispatcher.statement.CancelThreads;
import io.multimed.server.dispatcher.statement.UploadFolder;
import io.multimed.server.observation.StatementObserver;
import io.multimed.server.propagation.commit.CommitOutcomes;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The parts of the dispatcher that all sessions share. The {@link Dispatcher} owns and closes them.
 *
 * @param cache the cache of results
 * @param outcomes tell clients that were disconnected whether their commits have succeeded
 */
record SharedServices(
        ServerContext server, Texts texts, ResultCache cache, CommitOutcomes outcomes, Limits limits, Reports reports) {
    /**
     * What is known about the texts of statements.
     *
     * @param mayStoreViews returns whether a satellite may store the rows of views
     */
    record Texts(
            AsynchronousClassifier classifier,
            GroupedStatements grouped,
            ReadTexts reads,
            RoleRights rights,
            BooleanSupplier mayStoreViews) {}

    /**
     * What bounds, and ends, the work of clients.
     *
     * @param memory bounds the requests and results of all clients
     * @param statements bounds the statements that run at the same time
     * @param uploads stores large parameters and rows that are read in advance
     * @param cancels delivers cancel requests to the engines
     */
    record Limits(
            MemoryBudget memory,
            StatementLimits statements,
            RoutingClasses classes,
            UploadFolder uploads,
            CancelThreads cancels) {}

    /**
     * What people can see of the dispatcher.
     *
     * @param status returns the state of all nodes
     * @param observer observes the statements of all clients
     * @param audit records administrators' statements
     */
    record Reports(
            AdministrationExecutor administration,
            Supplier<StatusReport> status,
            StatementObserver observer,
            AuditLog audit) {}

    SqlDialect dialect() {
        return server.dialect();
    }
}
