// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import io.multimed.server.http.HttpAnswer;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;

/** The files of the page, which are resources of this package and loaded once. */
final class PageFiles {
    private static final String HTML = "text/html; charset=utf-8";
    private static final String CODE = "text/javascript; charset=utf-8";

    private static final Map<String, String> TYPES = Map.of(
            "index.html", HTML,
            "dashboard.css", "text/css; charset=utf-8",
            "icon.svg", "image/svg+xml",
            "main.js", CODE,
            "server.js", CODE,
            "nodes.js", CODE,
            "panels.js", CODE,
            "charts.js", CODE,
            "dialogs.js", CODE,
            "dom.js", CODE);

    private PageFiles() {}

    /** Returns the files by their paths; {@code /} is the page. */
    static Map<String, HttpAnswer> read() throws IOException {
        Map<String, HttpAnswer> files = new HashMap<>();
        for (Map.Entry<String, String> file : TYPES.entrySet()) {
            HttpAnswer answer = new HttpAnswer(HttpAnswer.OK, file.getValue(), read(file.getKey()), Map.of());
            files.put("/" + file.getKey(), answer);
            if (file.getKey().equals("index.html")) {
                files.put("/", answer);
            }
        }
        return files;
    }

    private static byte[] read(String name) throws IOException {
        try (InputStream in = PageFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new FileNotFoundException("the resource " + name + " of the dashboard is missing");
            }
            return in.readAllBytes();
        }
    }
}
