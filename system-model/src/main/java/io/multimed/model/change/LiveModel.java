// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.change;

import io.multimed.model.SystemModel;
import io.multimed.model.listen.Listen;

/** The part of a System Model that a running middleware takes over, besides its nodes. */
public final class LiveModel {
    private LiveModel() {}

    /**
     * Returns the running model with those values of another one that take effect without a restart. The nodes and the
     * users are those of the running model.
     */
    public static SystemModel of(SystemModel running, SystemModel wanted) {
        return new SystemModel(
                listen(running.listen(), wanted.listen()),
                running.observation(),
                running.database(),
                new SystemModel.Reads(
                        wanted.reads().freshness(),
                        running.reads().beforeWrite(),
                        running.reads().cache(),
                        wanted.reads().classes()),
                new SystemModel.Commits(
                        running.commits().order(),
                        running.commits().propagation(),
                        running.commits().receipts(),
                        running.commits().bypass(),
                        wanted.commits().queue()),
                wanted.optimization(),
                wanted.shareCores(),
                running.nodes());
    }

    private static Listen listen(Listen running, Listen wanted) {
        boolean changesTls = running.tls() != null && wanted.tls() != null;
        return new Listen(
                running.host(),
                running.port(),
                changesTls ? wanted.tls() : running.tls(),
                wanted.maxClients(),
                wanted.maxFrame(),
                wanted.limits(),
                wanted.idle(),
                wanted.shutdownWait(),
                running.users(),
                running.usersFile(),
                running.passThrough(),
                running.embedded());
    }

    public static SystemModel withUsers(SystemModel running, SystemModel wanted) {
        Listen listen = running.listen();
        return running.withListen(new Listen(
                listen.host(),
                listen.port(),
                listen.tls(),
                listen.maxClients(),
                listen.maxFrame(),
                listen.limits(),
                listen.idle(),
                listen.shutdownWait(),
                wanted.listen().users(),
                wanted.listen().usersFile(),
                wanted.listen().passThrough(),
                listen.embedded()));
    }
}
