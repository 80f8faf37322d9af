// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.wire;

/**
 * Reports bytes that violate the protocol. The receiver cannot find the next message, and must close the connection.
 */
public final class ProtocolException extends RuntimeException {
    public ProtocolException(String message) {
        super(message);
    }
}
