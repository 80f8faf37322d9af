// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.model.listen.UserLimits;
import io.multimed.model.listen.UsersFile;
import io.multimed.protocol.Scram;
import io.multimed.tpcw.run.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An administrator, a user with a role of the engine, and a certificate of the middleware, for one run. */
final class HopAccess {
    private static final String ADMINISTRATOR = "hop_admin";
    private static final String USER = "hop_user";
    private static final long KEYTOOL_SECONDS = 60;

    private final Path usersFile;
    private final Path certificate;
    private final String password = UUID.randomUUID().toString();

    private HopAccess(Path folder) {
        this.usersFile = folder.resolve("users");
        this.certificate = folder.resolve("certificate.p12");
    }

    /** @throws EngineException if there is no certificate */
    static HopAccess create(Path folder) throws IOException {
        HopAccess access = new HopAccess(folder);
        Path secret = Files.writeString(folder.resolve("certificate.password"), access.password, US_ASCII);
        access.makeCertificate(secret);
        new UsersFile(List.of(access.entry(ADMINISTRATOR, null), access.entry(USER, USER))).write(access.usersFile);
        return access;
    }

    private UsersFile.Entry entry(String name, @Nullable String role) {
        String verifier = Scram.verifier(password.toCharArray()).toText();
        return new UsersFile.Entry(name, verifier, role == null, role, UserLimits.NONE);
    }

    /** The tool of the Java development kit reads the password from a file, so that no list of processes shows it. */
    private void makeCertificate(Path secret) throws IOException {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "own",
                        "-keyalg",
                        "EC",
                        "-validity",
                        "30",
                        "-dname",
                        "CN=hop",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        certificate.toString(),
                        "-storepass:file",
                        secret.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), US_ASCII);
        try {
            if (!keytool.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                throw new EngineException("keytool made no certificate: " + said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException("interrupted while the certificate is made", e);
        }
    }

    /** Returns the keys of the section listen. Clients may connect without TLS, too. */
    String model() {
        return ", users-file: '%s', tls: {certificate: '%s', password-file: '%s', required: false}"
                .formatted(usersFile, certificate, certificate.resolveSibling("certificate.password"));
    }

    Target administrator(String name, String url, boolean encrypted) {
        return new Target(name, with(url, encrypted), ADMINISTRATOR, password);
    }

    Target user(String name, String url) {
        return new Target(name, with(url, false), USER, password);
    }

    private static String with(String url, boolean encrypted) {
        return url + (url.contains("?") ? "&" : "?") + "sslMode=" + (encrypted ? "require" : "disable");
    }

    void grant(Target administrator) throws SQLException {
        try (Connection connection = administrator.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("GRANT SELECT, UPDATE ON bench_rows TO " + USER);
        }
    }
}
