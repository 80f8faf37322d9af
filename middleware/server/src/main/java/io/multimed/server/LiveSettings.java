// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.model.Freshness;
import io.multimed.model.RoutingClassSpec;
import io.multimed.model.Source;
import io.multimed.model.SystemModel;
import io.multimed.model.listen.Limits;
import io.multimed.model.listen.Listen;
import io.multimed.model.value.ByteSize;
import io.multimed.server.communication.IdleTimeouts;
import io.multimed.server.communication.Server;
import io.multimed.server.communication.Users;
import io.multimed.server.communication.tls.ServerTls;
import io.multimed.server.dispatcher.Dispatcher;
import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.dispatcher.routing.FreshnessPolicy;
import io.multimed.server.dispatcher.routing.SatelliteSelector;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.replication.MaintenanceTask;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Passes the settings of a System Model to the parts of a running middleware. Called by one thread at a time.
 *
 * @param standardMemory bytes for clients if the model names no size
 * @param tls null if the port has no certificate
 */
record LiveSettings(
        SatelliteSelector selector,
        Dispatcher dispatcher,
        Server server,
        Users users,
        Master master,
        MemoryBudget memory,
        long standardMemory,
        @Nullable ServerTls tls,
        MaintenanceTask maintenance) {
    /** The rest of the heap is for what the budget of clients does not count. */
    private static final int MAX_PERCENT_OF_HEAP = 75;

    /**
     * Checks whether the files can be read that the model names, and whether the heap is large enough.
     *
     * @throws IOException names the key and the file
     */
    static void check(SystemModel model) throws IOException {
        Listen listen = model.listen();
        long unused = memory(listen.limits(), 0);
        if (listen.tls() != null) {
            ServerTls.check(listen.tls());
        }
        Users.check(UserSettings.definition(listen));
    }

    /**
     * Makes the settings of a model those of the running middleware, except for its users.
     *
     * @param before the running model
     */
    void apply(SystemModel before, SystemModel next) throws IOException {
        Listen listen = next.listen();
        Listen.Tls files = listen.tls();
        if (tls != null && files != null && !files.equals(before.listen().tls())) {
            tls.replace(files);
        }
        Limits limits = listen.limits();
        memory.setMost(memory(limits, standardMemory));
        users.setLimits(limits.perUser());
        dispatcher
                .statementLimits()
                .setLimits(limits.statements(), limits.acquireTimeout().toMillis(), users::maxStatements);
        server.setLimits(listen.maxClients(), (int) listen.maxFrame().bytes(), limits, idleTimeouts(listen));
        selector.setPolicy(freshness(next.reads().freshness()));
        dispatcher.setRoutingClasses(routingClasses(next.reads().classes()));
        maintenance.setLimits(
                next.commits().queue().keptFor(),
                next.commits().queue().keptSize().bytes());
    }

    /**
     * Returns the size of the memory of all clients, in bytes.
     *
     * @throws IOException if the heap is too small
     */
    static long memory(Limits limits, long standard) throws IOException {
        Optional<ByteSize> most = limits.memory();
        if (most.isEmpty()) {
            return standard;
        }
        long heap = Runtime.getRuntime().maxMemory();
        if (most.get().bytes() > heap / 100 * MAX_PERCENT_OF_HEAP) {
            throw new IOException(
                    "listen.limits.memory: %s is more than %d %% of the heap, which has %d MB: write a smaller size, or give the middleware more memory (-Xmx)"
                            .formatted(most.get(), MAX_PERCENT_OF_HEAP, heap >> 20));
        }
        return most.get().bytes();
    }

    /** Makes the users of a model those who may connect. */
    void applyUsers(SystemModel next) throws IOException {
        Listen listen = next.listen();
        users.replace(UserSettings.definition(listen));
        master.pools()
                .permitRoles(
                        UserSettings.passwordsOfRoles(listen),
                        next.master().program().source() == Source.EXTERNAL,
                        users::roles);
    }

    static IdleTimeouts idleTimeouts(Listen listen) {
        return new IdleTimeouts(listen.idle().inTransaction(), listen.idle().pinned());
    }

    static List<RoutingClass.Definition> routingClasses(List<RoutingClassSpec> classes) {
        return classes.stream()
                .map(each -> new RoutingClass.Definition(
                        each.name(),
                        Set.copyOf(each.tables()),
                        each.pattern().orElse(null),
                        each.slowerThan().toNanos(),
                        each.concurrency(),
                        each.queue(),
                        each.longestWait().toMillis()))
                .toList();
    }

    static FreshnessPolicy freshness(Freshness freshness) {
        return switch (freshness.policy()) {
            case WAIT -> new FreshnessPolicy(freshness.longestWait().toMillis(), false);
            case WAIT_THEN_MASTER -> new FreshnessPolicy(freshness.longestWait().toMillis(), true);
            case MASTER -> new FreshnessPolicy(0, true);
        };
    }
}
