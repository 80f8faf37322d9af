// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.tls;

import io.multimed.model.listen.FileVersion;
import io.multimed.model.listen.Listen;
import io.multimed.protocol.tls.ChannelBinding;
import io.multimed.protocol.tls.TlsFiles;
import io.multimed.server.audit.AuditLog;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.filter.ssl.SslFilter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate of the client port. Files that have changed are read again; new connections then use the new
 * certificate, and existing connections keep theirs. Thread-safe.
 */
public final class ServerTls {
    private static final Logger LOG = LoggerFactory.getLogger(ServerTls.class);
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private final AuditLog audit;

    /** Replaced as a whole when files have changed. */
    private volatile Loaded loaded;

    /** What was read, and from which state of the files. */
    private record Loaded(Listen.Tls settings, SSLContext context, SslFilter filter, FileVersion version) {
        Loaded keep(FileVersion seen) {
            return new Loaded(settings, context, filter, seen);
        }
    }

    /**
     * Reads the files.
     *
     * @param audit records changes of the certificate
     * @throws IOException if a file cannot be read, or does not contain what is expected; names file and key
     */
    public ServerTls(Listen.Tls settings, AuditLog audit) throws IOException {
        this.audit = audit;
        this.loaded = load(settings);
    }

    /**
     * Checks whether the files can be used.
     *
     * @throws IOException as the constructor
     */
    public static void check(Listen.Tls settings) throws IOException {
        Loaded unused = load(settings);
    }

    private static List<Path> files(Listen.Tls settings) {
        return Stream.of(settings.certificate(), settings.key(), settings.clientAuthorities())
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
    }

    /**
     * Uses other files for new connections.
     *
     * @throws IOException as the constructor; the previous files then remain in use
     */
    public void replace(Listen.Tls settings) throws IOException {
        loaded = load(settings);
        audit.record("certificate", "changed", settings.certificate().toString());
        LOG.info("new connections use the certificate in {}", settings.certificate());
    }

    private static Loaded load(Listen.Tls settings) throws IOException {
        FileVersion version = FileVersion.of(files(settings));
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            Path authorities = settings.clientAuthorities();
            TrustManager @Nullable [] trust = authorities == null ? null : TlsFiles.trustManagers(authorities);
            context.init(
                    TlsFiles.keyManagers(
                            settings.certificate(),
                            settings.key(),
                            settings.keyPassword().reveal().toCharArray()),
                    trust,
                    null);
            SslFilter filter = new SslFilter(context);
            // The other implementation passes bytes on only with the next ones if they arrive with the end of a
            // handshake.
            filter.setUseNonBlockingPipeline(false);
            filter.setEnabledProtocols(PROTOCOLS);
            filter.setNeedClientAuth(authorities != null);
            return new Loaded(settings, context, filter, version);
        } catch (GeneralSecurityException e) {
            throw new IOException("listen.tls: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException("listen.tls: a file cannot be read: " + e, e);
        }
    }

    /** Called periodically: reads files that have changed. If they are wrong, the certificate stays in use. */
    public void reload() {
        Loaded before = loaded;
        Listen.Tls settings = before.settings;
        FileVersion version = FileVersion.of(files(settings));
        if (version.equals(before.version)) {
            return;
        }
        try {
            loaded = load(settings);
            audit.record("certificate", "changed", settings.certificate().toString());
            LOG.info("new connections use the certificate in {}, which has changed", settings.certificate());
        } catch (IOException e) {
            loaded = before.keep(version);
            audit.record("certificate", "failed", settings.certificate().toString());
            LOG.error("the certificate has changed, but cannot be used; the previous one stays in use", e);
        }
    }

    SslFilter filter() {
        return loaded.filter;
    }

    /** Returns the certificate for new connections of other ports. */
    public SSLContext context() {
        return loaded.context;
    }

    /** Returns whether clients need a certificate. */
    public boolean asksClients() {
        return loaded.settings.clientAuthorities() != null;
    }

    /** Returns whether clients without TLS are refused. */
    boolean isRequired() {
        return loaded.settings.required();
    }

    /** Returns the version of TLS that a connection uses; empty without TLS. */
    public static String version(IoSession io) {
        return io.getAttribute(SslFilter.SSL_SECURED) instanceof SSLSession secured ? secured.getProtocol() : "";
    }

    /** Returns the binding of a login to the certificate that the connection uses. */
    public static byte[] binding(IoSession io) {
        return io.getAttribute(SslFilter.SSL_SECURED) instanceof SSLSession secured
                        && secured.getLocalCertificates() != null
                ? ChannelBinding.of(secured.getLocalCertificates()[0])
                : ChannelBinding.none();
    }
}
