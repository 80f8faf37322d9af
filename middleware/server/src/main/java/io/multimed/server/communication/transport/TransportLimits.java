// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.transport;

import io.multimed.engine.memory.MemoryBudget;
import java.util.concurrent.Executor;

/**
 * Limits of one connection.
 *
 * @param maxFrame maximum size of a request in bytes, after the login
 * @param memory of the requests and answers of all clients
 * @param maxUnread the next request waits while more bytes of answers are not read
 * @param tooMuchUnread runs when the client is disconnected because it reads nothing
 * @param readers run readers that have waited for memory
 */
public record TransportLimits(
        int maxFrame, MemoryBudget memory, long maxUnread, Runnable tooMuchUnread, Executor readers) {}
