// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.model.listen.Limits;
import io.multimed.server.audit.AuditLog;
import io.multimed.server.communication.peer.LocalClients;
import io.multimed.server.communication.tls.ServerTls;
import io.multimed.server.node.Refusals;
import io.multimed.server.node.login.RoleLogins;
import org.jspecify.annotations.Nullable;

/**
 * How the port treats its clients.
 *
 * @param tls the certificate of the port; null if clients cannot use TLS
 * @param maxClients maximum number of clients; a further client is refused with 53300
 * @param maxFrame maximum size of a request in bytes
 * @param limits of clients, users and addresses
 * @param listener measures the answered requests
 * @param audit records logins
 * @param refusals counts what the limits have refused
 * @param localClients decides which clients may connect if there are no users
 * @param roleLogins logins of users who are passed through to the master
 */
public record PortOptions(
        @Nullable ServerTls tls,
        int maxClients,
        int maxFrame,
        Limits limits,
        IdleTimeouts idleTimeouts,
        RequestListener listener,
        AuditLog audit,
        Refusals refusals,
        LocalClients localClients,
        RoleLogins roleLogins) {
    PortOptions with(int otherMaxClients, int otherMaxFrame, Limits otherLimits, IdleTimeouts otherTimeouts) {
        return new PortOptions(
                tls,
                otherMaxClients,
                otherMaxFrame,
                otherLimits,
                otherTimeouts,
                listener,
                audit,
                refusals,
                localClients,
                roleLogins);
    }
}
