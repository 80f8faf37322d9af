// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.audit;

import java.time.Instant;

/** Records the events that one client causes. Thread-safe; never blocks. */
public final class ClientAudit {
    private final AuditLog log;
    private final String user;
    private final String address;
    private final String tls;

    ClientAudit(AuditLog log, String user, String address, String tls) {
        this.log = log;
        this.user = user;
        this.address = address;
        this.tls = tls;
    }

    /** @param detail must not contain a secret */
    public void record(String kind, String outcome, String detail) {
        log.record(new AuditEvent(Instant.now(), kind, outcome, user, address, tls, detail));
    }
}
