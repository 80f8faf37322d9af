// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A browser without a window, driven through its debugging port. */
final class Chromium implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final Process process;
    private final WebSocket socket;
    private final AtomicInteger number = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();

    /** Errors that the page has reported: exceptions, failed requests, violations of the policy for content. */
    private final List<String> errors = new CopyOnWriteArrayList<>();

    /** The size of a window, and how the user likes colors. */
    record View(int width, int height, boolean phone, boolean dark) {}

    private Chromium(Process process, URI target) {
        this.process = process;
        this.socket =
                CLIENT.newWebSocketBuilder().buildAsync(target, new Receiver()).join();
    }

    /** Returns the program on the PATH; empty if there is none. */
    static Optional<Path> program() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .flatMap(folder -> Stream.of("chromium", "chromium-browser", "google-chrome")
                        .map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Returns the program on the PATH. Without one, prints that the test is skipped, and aborts the test.
     *
     * @param what the subject of the test
     */
    static Path programOrSkip(String what) {
        return program().orElseGet(() -> {
            System.out.println("SKIPPED: %s is not tested, because there is no chromium on the PATH".formatted(what));
            return abort("there is no chromium on the PATH");
        });
    }

    /**
     * @param profile an empty folder
     * @param options further options of the command line
     */
    static Chromium start(Path program, Path profile, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--hide-scrollbars",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile));
        command.addAll(List.of(options));
        command.add("about:blank");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(profile.resolve("output").toFile())
                .start();
        Path port = profile.resolve("DevToolsActivePort");
        await("the debugging port of the browser")
                .atMost(PATIENCE)
                .until(() -> Files.exists(port) && Files.readAllLines(port).size() > 1);
        URI list = URI.create("http://127.0.0.1:%s/json/list"
                .formatted(Files.readAllLines(port).get(0)));
        JsonNode pages =
                JSON.readTree(CLIENT.send(HttpRequest.newBuilder(list).build(), HttpResponse.BodyHandlers.ofString())
                        .body());
        for (JsonNode page : pages) {
            if (page.get("type").asText().equals("page")) {
                Chromium started = new Chromium(
                        process, URI.create(page.get("webSocketDebuggerUrl").asText()));
                for (String domain : List.of("Page", "Runtime", "Log")) {
                    started.call(domain + ".enable", Map.of());
                }
                return started;
            }
        }
        throw new IOException("the browser shows no page: " + pages);
    }

    /** Puts the parts of a message together, and completes the call that it answers. */
    private final class Receiver implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                received(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }
    }

    private void received(String message) {
        try {
            JsonNode node = JSON.readTree(message);
            if (node.has("id")) {
                CompletableFuture<JsonNode> answer =
                        answers.remove(node.get("id").asInt());
                if (answer != null) {
                    answer.complete(node);
                }
            } else if (node.get("method").asText().equals("Runtime.exceptionThrown")) {
                errors.add(node.get("params").toString());
            } else if (node.get("method").asText().equals("Log.entryAdded")) {
                JsonNode entry = node.get("params").get("entry");
                if (entry.get("level").asText().equals("error")) {
                    errors.add(entry.toString());
                }
            }
        } catch (IOException e) {
            errors.add(e.toString());
        }
    }

    private JsonNode call(String method, Map<String, ?> parameters) {
        int id = number.incrementAndGet();
        ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", JSON.valueToTree(parameters));
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        socket.sendText(message.toString(), true).join();
        JsonNode result =
                answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(result.has("error")).as("%s: %s", method, result).isFalse();
        return result.get("result");
    }

    void show(View view) {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of(
                        "width", view.width,
                        "height", view.height,
                        "deviceScaleFactor", view.phone ? 2 : 1,
                        "mobile", view.phone));
        call(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(Map.of("name", "prefers-color-scheme", "value", view.dark ? "dark" : "light"))));
    }

    void open(String url) {
        call("Page.navigate", Map.of("url", url));
    }

    /** Returns the value of an expression; waits for a promise. */
    JsonNode evaluate(String expression) {
        JsonNode result =
                call("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
        assertThat(result.has("exceptionDetails"))
                .as("%s: %s", expression, result)
                .isFalse();
        return result.get("result").path("value");
    }

    void awaitTrue(String expression) {
        await(expression)
                .atMost(PATIENCE)
                .until(() -> evaluate("Boolean(" + expression + ")").asBoolean());
    }

    void click(String selector) {
        awaitTrue("document.querySelector('%s')".formatted(selector));
        evaluate("document.querySelector('%s').click()".formatted(selector));
    }

    /** Presses and releases a key. */
    void press(String key) {
        String text = key.equals("Enter") ? "\r" : "";
        int code = key.equals("Enter") ? 13 : 9;
        for (String type : List.of("keyDown", "keyUp")) {
            call(
                    "Input.dispatchKeyEvent",
                    Map.of("type", type, "key", key, "code", key, "text", text, "windowsVirtualKeyCode", code));
        }
    }

    /** Types a text into the element that has the focus. */
    void type(String text) {
        call("Input.insertText", Map.of("text", text));
    }

    /** Returns the cookies of the page, also those that its code cannot read. */
    JsonNode cookies() {
        return call("Network.getCookies", Map.of()).get("cookies");
    }

    /** Writes a picture of the whole page. */
    void screenshot(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        JsonNode size = call("Page.getLayoutMetrics", Map.of()).get("cssContentSize");
        Map<String, Double> clip = Map.of(
                "x", 0.0,
                "y", 0.0,
                "width", size.get("width").asDouble(),
                "height", size.get("height").asDouble(),
                "scale", 1.0);
        JsonNode image =
                call("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true, "clip", clip));
        Files.write(file, Base64.getDecoder().decode(image.get("data").asText()));
    }

    List<String> errors() {
        return List.copyOf(errors);
    }

    @Override
    public void close() {
        socket.abort();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
    }
}
