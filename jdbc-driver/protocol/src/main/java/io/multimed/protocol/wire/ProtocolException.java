package io.multimed.protocol.wire;

/** The bytes received are not of the protocol. The connection cannot be used any further. */
public final class ProtocolException extends RuntimeException {
    public ProtocolException(String message) {
        super(message);
    }
}
