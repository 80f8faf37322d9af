// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.Multimed;
import io.multimed.model.ModelException;
import io.multimed.model.SystemModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The files in deploy/docker and deploy/kubernetes agree with each other, the commands and the System Model. */
class DeploymentFilesTest {
    private static final String VERSION = version();

    /** Time that an orderly stop may take besides the wait for open transactions: see the options of multimed up. */
    private static final Duration STOP = Duration.ofSeconds(60);

    private static String text(String name) {
        try {
            return Files.readString(Document.root().resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String version() {
        Matcher version = Pattern.compile("<version>(.*?)</version>").matcher(text("pom.xml"));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    /** Follows names of maps and numbers of lists. */
    private static Object at(Object from, Object... path) {
        Object found = from;
        for (Object step : path) {
            found = step instanceof Integer index ? ((List<?>) found).get(index) : ((Map<?, ?>) found).get(step);
            assertThat(found).as("%s of %s", step, List.of(path)).isNotNull();
        }
        return found;
    }

    private static List<Object> documents(String name) {
        Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
        return StreamSupport.stream(yaml.loadAll(text(name)).spliterator(), false)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /** Returns the only object of a kind. */
    private static Object manifest(String kind) {
        List<Object> found = documents("deploy/kubernetes/multimed.yaml").stream()
                .filter(each -> kind.equals(at(each, "kind")))
                .toList();
        assertThat(found).as(kind).hasSize(1);
        return found.get(0);
    }

    private static Object pod() {
        return at(manifest("StatefulSet"), "spec", "template", "spec");
    }

    private static Object container() {
        return at(pod(), "containers", 0);
    }

    private static String modelText() {
        return (String) at(manifest("ConfigMap"), "data", "multimed.yaml");
    }

    private static SystemModel model() throws ModelException {
        return SystemModel.parse(modelText(), "the ConfigMap");
    }

    private static List<String> strings(Object list) {
        return ((List<?>) list).stream().map(String::valueOf).toList();
    }

    private static int seconds(Object text) {
        return Integer.parseInt(String.valueOf(text).replaceFirst("s$", ""));
    }

    @Test
    void everyModelIsValidAndNeedsUsers() throws ModelException {
        SystemModel image = SystemModel.parse(text("deploy/docker/multimed.yaml"), "deploy/docker/multimed.yaml");
        for (SystemModel model : List.of(image, model())) {
            assertThat(model.listen().host()).isEqualTo("0.0.0.0");
            assertThat(model.listen().usersFile()).isNotNull();
            assertThat(model.satellites()).hasSize(2);
        }
    }

    @Test
    void theCommandsOfContainersAreUnderstood() {
        List<String> arguments = strings(at(container(), "args"));
        assertThat(DocumentsTest.fault(String.join(" ", arguments))).isEmpty();
        Matcher image = Pattern.compile("(?m)^CMD \\[(.*)]$").matcher(text("deploy/docker/Dockerfile"));
        assertThat(image.find()).isTrue();
        assertThat(DocumentsTest.fault(image.group(1).replace(",", "").replace("\"", "")))
                .isEmpty();
        assertThat(Multimed.commandLine().getSubcommands()).containsKey(arguments.get(0));
    }

    @Test
    void theVersionIsThatOfTheBuild() {
        assertThat(text("deploy/docker/Dockerfile")).contains("ARG VERSION=" + VERSION + "\n");
        assertThat(at(container(), "image")).isEqualTo("multimed:" + VERSION);
    }

    @Test
    void portsAreThoseOfTheModels() {
        assertThat(text("deploy/docker/Dockerfile")).contains("\nEXPOSE 7411 7412\n", "/dev/tcp/127.0.0.1/7412");
        assertThat(strings(at(documents("deploy/docker/compose.yaml").get(0), "services", "multimed", "ports")))
                .containsExactly("127.0.0.1:7411:7411", "127.0.0.1:7412:7412");
        for (String text : List.of(text("deploy/docker/multimed.yaml"), modelText())) {
            assertThat(text).containsSubsequence("listen:", "port: 7411", "monitoring:", "port: 7412");
        }
        assertThat(at(container(), "ports").toString())
                .contains("jdbc, containerPort=7411", "monitoring, containerPort=7412");
    }

    @Test
    void probesAskThePagesOfTheMonitoringPort() {
        for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
            assertThat(at(container(), probe, "httpGet", "port")).isEqualTo("monitoring");
            assertThat(at(container(), probe, "httpGet", "path"))
                    .isEqualTo(probe.equals("readinessProbe") ? "/health/ready" : "/health/live");
        }
        assertThat(text("docs/operations.md")).contains("| `/health/live` |", "| `/health/ready` |");
    }

    @Test
    void everyMountHasAVolumeAndEveryFileOfTheModelAMount() {
        List<String> volumes = new ArrayList<>();
        ((List<?>) at(pod(), "volumes")).forEach(volume -> volumes.add((String) at(volume, "name")));
        volumes.add((String) at(manifest("StatefulSet"), "spec", "volumeClaimTemplates", 0, "metadata", "name"));
        List<String> paths = new ArrayList<>();
        for (Object mount : (List<?>) at(container(), "volumeMounts")) {
            assertThat(volumes).contains((String) at(mount, "name"));
            paths.add(at(mount, "mountPath") + "/");
        }
        assertThat(paths).hasSameSizeAs(volumes).contains("/dev/shm/", "/tmp/");
        Matcher files = Pattern.compile("(?m): (/etc/\\S+)").matcher(modelText() + "\n: " + at(container(), "args", 2));
        assertThat(files.results().map(file -> file.group(1)).toList())
                .hasSize(4)
                .allMatch(file -> paths.stream().anyMatch(file::startsWith));
        assertThat(strings(at(container(), "args")).get(4)).startsWith("/var/lib/multimed/");
    }

    @Test
    void containersRunAsTheOrdinaryUserOfTheImage() {
        assertThat(text("deploy/docker/Dockerfile")).contains("useradd --uid 10001 ", "\nUSER 10001:10001\n");
        assertThat(at(pod(), "securityContext", "runAsUser")).isEqualTo(10_001);
        assertThat(at(pod(), "securityContext", "runAsNonRoot")).isEqualTo(true);
        assertThat(at(container(), "securityContext", "readOnlyRootFilesystem")).isEqualTo(true);
        assertThat(at(manifest("StatefulSet"), "spec", "replicas")).isEqualTo(1);
    }

    @Test
    void containersGetTheTimeForAnOrderlyStop() throws ModelException {
        int orderly = (int) STOP.plus(model().listen().shutdownWait()).toSeconds();
        Object compose = at(documents("deploy/docker/compose.yaml").get(0), "services", "multimed");
        assertThat(seconds(at(compose, "stop_grace_period"))).isGreaterThan(orderly);
        assertThat((int) at(pod(), "terminationGracePeriodSeconds")).isGreaterThan(orderly);
    }
}
