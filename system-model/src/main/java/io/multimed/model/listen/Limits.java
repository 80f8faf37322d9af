// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.listen;

import io.multimed.model.value.ByteSize;
import java.time.Duration;
import java.util.Optional;

/**
 * Limits that keep one client, user or address from using what the others need. A limit of 0 means that there is none.
 *
 * @param clientsPerAddress maximum number of clients from one address that have logged in
 * @param pendingLogins maximum number of connections that have not logged in
 * @param pendingLoginsPerAddress the same for one address
 * @param statements maximum number of statements that run at the same time
 * @param perUser limits of each user that has none of its own
 * @param acquireTimeout longest wait of a statement for its turn, or for a connection of a node; zero for no limit
 * @param queuedPerClient maximum size of answers that a client has not read, and of requests sent ahead
 * @param memory of the requests and results of all clients; empty for the half of the heap
 */
public record Limits(
        int clientsPerAddress,
        int pendingLogins,
        int pendingLoginsPerAddress,
        int statements,
        UserLimits perUser,
        Duration acquireTimeout,
        ByteSize queuedPerClient,
        Optional<ByteSize> memory) {
    /** Capacity for logins even if the limit of clients is smaller. */
    private static final int MIN_PENDING_LOGINS = 100;

    /** The limits without a section {@code limits}, for 1,000 clients. */
    public static final Limits DEFAULT = standard(1_000);

    /** Returns the limits without a section {@code limits}. */
    static Limits standard(int maxClients) {
        int pending = Math.max(maxClients, MIN_PENDING_LOGINS);
        return new Limits(
                0,
                pending,
                ofOneAddress(pending),
                0,
                UserLimits.NONE,
                Duration.ofMinutes(2),
                ByteSize.megabytes(1),
                Optional.empty());
    }

    /** Returns the default limit of one address: other addresses have room, whatever one of them does. */
    static int ofOneAddress(int pendingLogins) {
        return Math.max(1, pendingLogins / 2);
    }
}
