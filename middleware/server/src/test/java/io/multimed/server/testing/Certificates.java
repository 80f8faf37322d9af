// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes certificates with the JDK's own tool. Each certificate is its own authority. */
public final class Certificates {
    private static final char[] PASSWORD = "certificate".toCharArray();

    private Certificates() {}

    /**
     * Makes a key and a certificate, in the files NAME.p12 with the password {@code certificate}, NAME.pem and
     * NAME.key.
     *
     * @param host the host to which the certificate belongs, such as {@code ip:127.0.0.1}
     * @param algorithm of the key: RSA or EC
     */
    public static void make(Path folder, String name, String host, String algorithm) throws Exception {
        Path store = folder.resolve(name + ".p12");
        Files.deleteIfExists(store);
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1", // keytool ends before the second compiler has paid for itself
                "-J-XX:+UseSerialGC",
                "-genkeypair",
                "-alias",
                "own",
                "-keyalg",
                algorithm,
                "-validity",
                "30",
                "-dname",
                "CN=" + name,
                "-ext",
                "san=" + host,
                "-ext",
                "bc=ca:true",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), US_ASCII);
        if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            throw new IOException("keytool failed: " + said);
        }
        writePem(folder, name, store);
    }

    /** Makes the file NAME.trusted.p12, by which Java trusts the certificate NAME. */
    public static void trust(Path folder, String name) throws Exception {
        KeyStore own = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(folder.resolve(name + ".p12"))) {
            own.load(in, PASSWORD);
        }
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, PASSWORD);
        trusted.setCertificateEntry(name, own.getCertificate("own"));
        try (OutputStream out = Files.newOutputStream(folder.resolve(name + ".trusted.p12"))) {
            trusted.store(out, PASSWORD);
        }
    }

    private static void writePem(Path folder, String name, Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        Files.writeString(
                folder.resolve(name + ".pem"),
                block("CERTIFICATE", store.getCertificate("own").getEncoded()));
        Files.writeString(
                folder.resolve(name + ".key"),
                block("PRIVATE KEY", store.getKey("own", PASSWORD).getEncoded()));
    }

    private static String block(String label, byte[] content) {
        return "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n"
                .formatted(label, Base64.getMimeEncoder().encodeToString(content));
    }
}
