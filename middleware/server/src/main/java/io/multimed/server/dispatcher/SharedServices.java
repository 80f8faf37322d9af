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
 * @param status returns the state of all nodes
 * @param mayStoreViews returns whether a satellite may store the rows of views
 * @param observer observes the statements of all clients
 * @param audit records administrators' statements
 * @param memory bounds the requests and results of all clients
 * @param statementLimits bounds the statements that run at the same time
 * @param uploadFolder stores large parameters and rows that are read in advance
 * @param cancels delivers cancel requests to the engines
 */
record SharedServices(
        ServerContext server,
        AsynchronousClassifier classifier,
        GroupedStatements groupedStatements,
        ReadTexts reads,
        ResultCache cache,
        RoutingClasses routingClasses,
        AdministrationExecutor administration,
        CommitOutcomes outcomes,
        RoleRights rights,
        Supplier<StatusReport> status,
        BooleanSupplier mayStoreViews,
        StatementObserver observer,
        AuditLog audit,
        MemoryBudget memory,
        StatementLimits statementLimits,
        UploadFolder uploadFolder,
        CancelThreads cancels) {
    SqlDialect dialect() {
        return server.dialect();
    }
}
