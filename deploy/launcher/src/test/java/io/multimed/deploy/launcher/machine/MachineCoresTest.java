// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.model.value.CoreSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineCoresTest {
    @TempDir
    private Path root;

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }

    private CoreSet cores() {
        return new MachineCores(root).cores();
    }

    @Test
    void shouldReturnTheCoresOfTheMachine() throws Exception {
        write("sys/devices/system/cpu/online", "0-47");
        write("proc/self/cgroup", "0::/user.slice");
        assertThat(cores()).isEqualTo(CoreSet.parse("0-47"));
    }

    @Test
    void shouldReturnTheCoresOfTheContainer() throws Exception {
        write("sys/devices/system/cpu/online", "0-47");
        write("proc/self/cgroup", "0::/");
        write("sys/fs/cgroup/cpuset.cpus.effective", "4-7");
        assertThat(cores()).isEqualTo(CoreSet.parse("4-7"));
    }

    @Test
    void shouldCountThePositionsOfCoresFromZero() throws Exception {
        write("sys/devices/system/cpu/online", "4-6,9");
        MachineCores cores = new MachineCores(root);
        assertThat(cores.atPositions(CoreSet.parse("0-1"))).isEqualTo(CoreSet.parse("4-5"));
        assertThat(cores.atPositions(CoreSet.parse("3"))).isEqualTo(CoreSet.parse("9"));
        assertThat(cores.atPositions(CoreSet.ALL).isAll()).isTrue();
    }

    @Test
    void shouldReturnTheCoresOfTheNearestGroup() throws Exception {
        write("proc/self/cgroup", "1:name=systemd:/\n0::/a.slice/b.service");
        write("sys/fs/cgroup/cpuset.cpus.effective", "0-47");
        write("sys/fs/cgroup/a.slice/cpuset.cpus.effective", "8-15");
        assertThat(cores()).isEqualTo(CoreSet.parse("8-15"));
    }

    @Test
    void shouldReadTheTopOfGroupsOutsideOfTheNameSpace() throws Exception {
        write("proc/self/cgroup", "0::/../other");
        write("sys/fs/cgroup/cpuset.cpus.effective", "4-7");
        write("sys/devices/system/cpu/online", "0-47");
        assertThat(cores()).isEqualTo(CoreSet.parse("4-7"));
    }

    /** Otherwise a node whose cores are missing would run on the cores of the middleware. */
    @Test
    void shouldBindToAllCoresIfTheMachineLacksTheNamedOnes() {
        assumeTrue(CorePinning.taskset().isPresent(), "no taskset");
        assertThat(CorePinning.prefix("node", CoreSet.parse("4095")))
                .containsSequence("-c", MachineCores.usable().toString());
        assertThat(CorePinning.prefix("node", CoreSet.ALL)).isEmpty();
        assertThat(MachineCores.usable()
                        .cores()
                        .intersects(CoreAffinity.ofThisProcess().cores()))
                .isTrue();
    }

    /** A control group of a container can have a name that the container does not see. */
    @Test
    void shouldReadControlGroupsOfTheFirstVersion() throws Exception {
        write("proc/self/cgroup", "4:memory:/docker/12\n3:cpuset:/docker/12\n0::/");
        write("sys/fs/cgroup/cpuset/cpuset.effective_cpus", "2,3");
        write("sys/devices/system/cpu/online", "0-47");
        assertThat(cores()).isEqualTo(CoreSet.parse("2,3"));
    }

    @Test
    void shouldFallBackToTheCoresThatJavaCounts() {
        assertThat(cores().cores().cardinality()).isEqualTo(Runtime.getRuntime().availableProcessors());
    }

    /** Engines would otherwise run on the cores of the middleware. */
    @Test
    void shouldBindToCoresOutsideOfThoseOfThisProcess() throws Exception {
        CoreSet usable = MachineCores.usable();
        assumeTrue(usable.cores().cardinality() > 1, "a machine with one core");
        int first = usable.cores().nextSetBit(0);
        String other = Integer.toString(usable.cores().nextSetBit(first + 1));
        assumeTrue(CorePinning.taskset().isPresent(), "no taskset");
        List<String> command = new ArrayList<>(CorePinning.prefix("first", CoreSet.parse(Integer.toString(first))));
        command.addAll(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                BoundProcess.class.getName(),
                other));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains(" -c " + other);
    }

    /** A process that is bound to one core, and binds another process to the core of its argument. */
    static final class BoundProcess {
        private BoundProcess() {}

        public static void main(String[] args) {
            System.out.println(String.join(" ", CorePinning.prefix("second", CoreSet.parse(args[0]))));
        }
    }
}
