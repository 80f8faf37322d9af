// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import io.multimed.server.communication.ConnectedClient;
import io.multimed.server.communication.Users;
import io.multimed.server.communication.peer.LocalClients;
import io.multimed.server.dispatcher.administration.Administration;
import io.multimed.server.dispatcher.cache.ResultCache;
import io.multimed.server.monitoring.MonitoredServer;
import io.multimed.server.node.EventLog;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The parts of the running middleware that the dashboard shows and changes. All of them may be called by any thread.
 *
 * @param database name of the database that clients see
 * @param engine name and version of the master's engine
 * @param localClients decides which browsers may use the dashboard if there are no users
 * @param clients returns a number of clients
 * @param cachedStatements returns what the result cache has done for a number of statements
 */
public record DashboardSources(
        String database,
        String engine,
        MonitoredServer server,
        Traffic traffic,
        EventLog events,
        Users users,
        LocalClients localClients,
        Administration administration,
        IntFunction<List<ConnectedClient>> clients,
        IntFunction<List<ResultCache.StatementSummary>> cachedStatements) {}
