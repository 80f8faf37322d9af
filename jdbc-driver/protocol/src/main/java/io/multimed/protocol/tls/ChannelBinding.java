// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.tls;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.Certificate;

/**
 * Binds a login to the TLS connection on which it runs: both sides sign the middleware's certificate. An attacker
 * between them who presents another certificate cannot pass the login on. Corresponds to {@code tls-server-end-point}
 * of RFC 5929, always with SHA-256.
 */
public final class ChannelBinding {
    private ChannelBinding() {}

    /** Returns the binding of a connection without TLS. */
    public static byte[] none() {
        return new byte[0];
    }

    /** Returns the binding of a connection on which the middleware has presented a certificate. */
    public static byte[] of(Certificate ofTheMiddleware) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(ofTheMiddleware.getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime cannot hash a certificate", e);
        }
    }
}
