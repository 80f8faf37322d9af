// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the pages of the port for monitoring, which the model of the cluster must define. */
public final class Monitored {
    private static final HttpClient BROWSER = HttpClient.newHttpClient();

    private Monitored() {}

    /** Returns the text of a page. */
    public static String get(TestCluster cluster, String path) throws IOException, InterruptedException {
        int port =
                Objects.requireNonNull(cluster.middleware().monitoringAddress()).getPort();
        URI page = URI.create("http://127.0.0.1:%d%s".formatted(port, path));
        return BROWSER.send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Returns the value of a metric, by the beginning of its line; 0 if there is none. */
    public static double metric(TestCluster cluster, String begin) throws IOException, InterruptedException {
        Matcher line = Pattern.compile("^" + Pattern.quote(begin) + "([{,}][^ ]*)? ([0-9.E+]+)$", Pattern.MULTILINE)
                .matcher(get(cluster, "/metrics"));
        return line.find() ? Double.parseDouble(line.group(2)) : 0;
    }
}
