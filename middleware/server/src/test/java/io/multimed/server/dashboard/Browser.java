// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Sends the requests that the page sends, and keeps the cookie. */
final class Browser {
    static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final URI page;
    private String cookie = "";
    private String guard = "";

    Browser(String url) {
        this.page = URI.create(url);
    }

    /** Returns the origin of the page, as browsers send it. */
    String origin() {
        return "http://" + page.getAuthority();
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return CLIENT.send(
                HttpRequest.newBuilder(page.resolve(path))
                        .header("Cookie", cookie)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    JsonNode json(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = get(path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    JsonNode state() throws IOException, InterruptedException {
        return json("/api/state");
    }

    /** Asks who the user is, and keeps the guard that requests need. */
    JsonNode session() throws IOException, InterruptedException {
        JsonNode session = json("/api/session");
        guard = session.path("guard").asText();
        return session;
    }

    HttpResponse<String> post(String path, Map<String, String> form) throws IOException, InterruptedException {
        return post(path, form, Map.of("Origin", origin(), "X-Multimed-Guard", guard));
    }

    HttpResponse<String> post(String path, Map<String, String> form, Map<String, String> headers)
            throws IOException, InterruptedException {
        String body = form.entrySet().stream()
                .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), UTF_8))
                .collect(Collectors.joining("&"));
        HttpRequest.Builder request = HttpRequest.newBuilder(page.resolve(path))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Cookie", cookie)
                .POST(HttpRequest.BodyPublishers.ofString(body));
        headers.forEach(request::header);
        HttpResponse<String> answer = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
        answer.headers().firstValue("Set-Cookie").ifPresent(set -> cookie = set.split(";", 2)[0]);
        return answer;
    }

    HttpResponse<String> login(String user, String password) throws IOException, InterruptedException {
        HttpResponse<String> answer = post("/api/login", Map.of("user", user, "password", password));
        session();
        return answer;
    }

    /** Starts an operation that must be accepted, and returns its number. */
    long act(String action, String satellite, boolean force) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                post("/api/action", Map.of("action", action, "satellite", satellite, "force", Boolean.toString(force)));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        return JSON.readTree(answer.body()).get("id").asLong();
    }

    static String url(TestCluster cluster) {
        return Objects.requireNonNull(cluster.middleware().dashboardUrl());
    }
}
