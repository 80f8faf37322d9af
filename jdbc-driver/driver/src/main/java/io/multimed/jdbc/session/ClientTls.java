// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.jdbc.settings.DriverProperty;
import io.multimed.jdbc.settings.SslMode;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.tls.ChannelBinding;
import io.multimed.protocol.tls.TlsFiles;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.Properties;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Encrypts connections as the properties sslMode, sslRootCert, sslCert, sslKey and sslPassword say. */
final class ClientTls {
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private final SSLContext context;
    private final SslMode mode;

    private ClientTls(SSLContext context, SslMode mode) {
        this.context = context;
        this.mode = mode;
    }

    /**
     * Reads the files that the properties name.
     *
     * @throws SQLException 08001 if a file cannot be read, or does not contain what is expected
     */
    static ClientTls of(Properties properties) throws SQLException {
        SslMode mode = SslMode.of(properties);
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own(properties), trusted(properties, mode), null);
            return new ClientTls(context, mode);
        } catch (IOException | GeneralSecurityException e) {
            throw new SQLNonTransientConnectionException(
                    "a file that the property sslRootCert, sslCert or sslKey names cannot be used: " + e.getMessage(),
                    SqlStates.CANNOT_CONNECT,
                    e);
        }
    }

    private static KeyManager @Nullable [] own(Properties properties) throws IOException, GeneralSecurityException {
        String certificate = DriverProperty.SSL_CERT.value(properties);
        String key = DriverProperty.SSL_KEY.value(properties);
        return certificate.isEmpty()
                ? null
                : TlsFiles.keyManagers(
                        Path.of(certificate),
                        key.isEmpty() ? null : Path.of(key),
                        DriverProperty.SSL_PASSWORD.value(properties).toCharArray());
    }

    /** Returns null for the authorities that Java trusts. */
    private static TrustManager @Nullable [] trusted(Properties properties, SslMode mode)
            throws IOException, GeneralSecurityException {
        String root = DriverProperty.SSL_ROOT_CERT.value(properties);
        if (!mode.verifies()) {
            return new TrustManager[] {new AnyCertificate()};
        }
        return root.isEmpty() ? null : TlsFiles.trustManagers(Path.of(root));
    }

    /**
     * Returns a socket over a connected one, after the handshake.
     *
     * @throws TlsRefusedException if the other side does not use TLS, or has the wrong certificate
     */
    Socket encrypt(Socket plain, String host, int port) throws IOException, SQLException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, host, port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setProtocols(PROTOCOLS);
        if (mode == SslMode.VERIFY_FULL) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        }
        socket.setSSLParameters(parameters);
        try {
            socket.startHandshake();
        } catch (SSLException e) {
            throw new TlsRefusedException(
                    "cannot connect to Multimed at %s:%d with TLS (sslMode=%s): %s; check listen.tls of the middleware, and sslRootCert and the host of the URL"
                            .formatted(host, port, mode.text(), e.getMessage()),
                    e);
        }
        return socket;
    }

    /** The middleware does not use TLS, or its certificate is not accepted, or it refuses the client's certificate. */
    static final class TlsRefusedException extends SQLNonTransientConnectionException {
        TlsRefusedException(String message, Exception cause) {
            super(message, SqlStates.CANNOT_CONNECT, cause);
        }
    }

    /** Returns the binding of a login to the certificate that the other side of the socket has presented. */
    static byte[] binding(Socket socket) throws SQLException {
        if (!(socket instanceof SSLSocket encrypted)) {
            return ChannelBinding.none();
        }
        try {
            return ChannelBinding.of(encrypted.getSession().getPeerCertificates()[0]);
        } catch (SSLPeerUnverifiedException e) {
            throw new SQLNonTransientConnectionException(
                    "the middleware has presented no certificate", SqlStates.CANNOT_CONNECT, e);
        }
    }

    /**
     * Accepts any certificate, for the modes that encrypt without verification. With a password, the channel binding
     * still proves that no attacker is in between.
     */
    private static final class AnyCertificate implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
