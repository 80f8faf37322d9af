// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.ServerUser;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Tests a satellite in another network namespace: the kernel's TCP between the middleware and the satellite, with
 * packets that are late, lost, or dropped altogether.
 */
@Tag("exhaustive")
@Timeout(600)
class NamespaceTest {
    private static final long MINUTES = 9;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EachEngine
    void shouldServeFromAnotherNetworkNamespace(String engine) throws Exception {
        Optional<String> missing = ServerUser.isRoot()
                ? Optional.of("root would need other accounts in the namespace: run the test as an ordinary user")
                : Namespace.missing();
        assumeTrue(missing.isEmpty(), () -> "NOT TESTED: network namespaces: " + missing.orElse(""));
        Path output = folder.resolve("output");
        Process trial = new ProcessBuilder(Namespace.command(java(NamespaceTrial.class, List.of(engine))))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = trial.waitFor(MINUTES, TimeUnit.MINUTES);
        trial.destroyForcibly();
        String printed = Files.readString(output);
        System.out.println(printed);
        assertThat(ended).as("the trial has ended").isTrue();
        assertThat(trial.exitValue()).as(printed).isZero();
        assertThat(printed).contains("all copies are equal");
    }

    /**
     * Returns the command that runs a program with the virtual machine, the options and the class path of the tests.
     */
    static List<String> java(Class<?> program, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.matches("-XX:(TieredStopAtLevel=\\d|\\+Use\\w+GC)"))
                .forEach(command::add);
        for (String property : List.of("java.io.tmpdir", "multimed.test.sharing")) {
            Optional.ofNullable(System.getProperty(property))
                    .ifPresent(value -> command.add("-D" + property + "=" + value));
        }
        command.addAll(List.of("-cp", classPath(), program.getName()));
        command.addAll(arguments);
        return command;
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(each -> Path.of(each).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
