// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher;

import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One client, after its login.
 *
 * @param sessionId unique for ever, because it names the session's commits
 * @param address of the client, with its port
 * @param tls the client's version of TLS; empty without TLS
 * @param administrator whether the client may change and verify the running system
 * @param zone the client's time zone as in {@link java.util.TimeZone}; empty if unknown
 * @param role the engine role as which the client's statements run; null for the master's user of the System Model
 * @param maxStatements returns the maximum number of statements of the user that run at the same time; 0 for no limit
 */
public record ClientIdentity(
        long sessionId,
        String user,
        String address,
        String tls,
        boolean administrator,
        String zone,
        @Nullable String role,
        IntSupplier maxStatements) {}
