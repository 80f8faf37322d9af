// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.StateFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A new folder with the unpacked archive, and processes that know nothing else: their environment is empty except for
 * the Java runtime and the system's programs, the home folder is the new folder, and a call of {@code mvn} is recorded.
 */
final class Installation implements AutoCloseable {
    private final Path folder;
    private final Map<String, String> environment = new TreeMap<>();

    private Installation(Path folder) {
        this.folder = folder;
    }

    /** Unpacks the archive that the build has made into a new folder. */
    static Installation unpack() throws Exception {
        Path folder = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "fresh-");
        // Engines of an administrator run as an account with fewer rights, which must reach the folder.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Installation installation = new Installation(folder);
        Path programs = Files.createDirectory(folder.resolve("programs"));
        Path maven = Files.writeString(programs.resolve("mvn"), "#!/bin/sh\ntouch " + installation.mavenWasCalled());
        Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwx------"));
        installation.environment.put("PATH", programs + ":/usr/bin:/bin");
        installation.environment.put("JAVA_HOME", System.getProperty("java.home"));
        installation.environment.put("MULTIMED_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -Duser.home=" + folder);
        installation.unpackInto(folder);
        return installation;
    }

    /** Unpacks the archive once more, and returns the folder of that release. */
    Path unpackInto(Path parent) throws Exception {
        Files.createDirectories(parent);
        unpack(archive(), parent);
        return parent.resolve(release());
    }

    /** Adds the archive with the commands of experiments. */
    void addTrials() throws Exception {
        unpack(archive().resolveSibling(release().replaceFirst("multimed", "multimed-trials") + ".tar.gz"), folder);
    }

    private void unpack(Path archive, Path parent) throws Exception {
        assertThat(run(List.of("tar", "-xzf", archive.toString(), "-C", parent.toString())))
                .isEqualTo("0 ");
    }

    /** Returns the archive, of which the module's folder has one. */
    static Path archive() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target").toAbsolutePath())) {
            List<Path> found = files.filter(
                            file -> file.getFileName().toString().matches("multimed-\\d.*\\.tar\\.gz"))
                    .toList();
            assertThat(found).as("archives of mvn package in target").hasSize(1);
            return found.get(0);
        }
    }

    /** Returns the name of the archive's only folder. */
    static String release() throws IOException {
        return archive().getFileName().toString().replaceFirst("\\.tar\\.gz$", "");
    }

    Path folder() {
        return folder;
    }

    /** Returns a file of the unpacked archive. */
    Path file(String name) throws IOException {
        return folder.resolve(release()).resolve(name);
    }

    Path mavenWasCalled() {
        return folder.resolve("maven-was-called");
    }

    /** Sets a variable for all further processes. */
    void setVariable(String name, String value) {
        environment.put(name, value);
    }

    /** Returns a process that can be started here. */
    ProcessBuilder prepare(List<String> command) {
        ProcessBuilder process = new ProcessBuilder(command).directory(folder.toFile());
        process.redirectErrorStream(true);
        process.environment().clear();
        process.environment().putAll(environment);
        return process;
    }

    /** Runs a command in the folder; returns its exit code and its output. */
    String run(List<String> command) throws Exception {
        Process process = prepare(command).start();
        process.getOutputStream().close();
        String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
        return process.waitFor() + " " + printed;
    }

    /** Runs {@code bin/multimed}; returns its exit code and its output. */
    String multimed(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(file("bin/multimed").toString()));
        command.addAll(List.of(arguments));
        return run(command);
    }

    @Override
    public void close() {
        StateFolder.remove(folder);
    }
}
