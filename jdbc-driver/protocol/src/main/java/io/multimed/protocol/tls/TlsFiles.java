// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads the certificates and keys of one side of a TLS connection: PEM files, or a PKCS #12 file, which has the
 * extension {@code .p12} or {@code .pfx}.
 */
public final class TlsFiles {
    private TlsFiles() {}

    /**
     * Reads the own certificate, the certificates up to its authority, and the private key.
     *
     * @param certificate a PEM file with the own certificate first, or a PKCS #12 file
     * @param key a PEM file with the private key; null if the first file contains the key
     * @param password of an encrypted key, or of the PKCS #12 file; empty if there is none
     * @throws IOException if a file cannot be read
     * @throws GeneralSecurityException if a file does not contain what is expected; the message names the file
     */
    public static KeyManager[] keyManagers(Path certificate, @Nullable Path key, char[] password)
            throws IOException, GeneralSecurityException {
        KeyStore store;
        if (isPkcs12(certificate)) {
            store = pkcs12(certificate, password);
        } else {
            List<X509Certificate> chain = PemFile.read(certificate).certificates();
            store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry(
                    "own",
                    PemFile.read(key == null ? certificate : key).privateKey(password),
                    password,
                    chain.toArray(X509Certificate[]::new));
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, password);
        return managers.getKeyManagers();
    }

    /**
     * Reads the certificates of the authorities that the own side trusts.
     *
     * @param authorities a PEM file, or a PKCS #12 file without password
     * @throws IOException if the file cannot be read
     * @throws GeneralSecurityException if the file contains no certificate
     */
    public static TrustManager[] trustManagers(Path authorities) throws IOException, GeneralSecurityException {
        KeyStore store;
        if (isPkcs12(authorities)) {
            store = pkcs12(authorities, new char[0]);
        } else {
            store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (X509Certificate authority : PemFile.read(authorities).certificates()) {
                store.setCertificateEntry("authority " + store.size(), authority);
            }
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        return managers.getTrustManagers();
    }

    private static boolean isPkcs12(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        return name.endsWith(".p12") || name.endsWith(".pfx");
    }

    private static KeyStore pkcs12(Path file, char[] password) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, password);
        } catch (IOException e) {
            if (e.getCause() instanceof GeneralSecurityException wrong) {
                throw new GeneralSecurityException("%s: the password is wrong".formatted(file), wrong);
            }
            throw e;
        }
        return store;
    }
}
