// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.extraction;

/**
 * Names a commit permanently: the client's session, and the sequence number of the request that committed. The receipt
 * is sealed with the WriteSet (architecture 4.3).
 */
public record Receipt(long sessionId, int sequence) {
    /** The receipt of transactions that bypass the middleware: no client's session has the number 0. */
    public static final Receipt NONE = new Receipt(0, 0);
}
