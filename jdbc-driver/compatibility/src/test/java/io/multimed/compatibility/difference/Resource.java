package io.multimed.compatibility.difference;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** Lists of inputs beside the tests: one a line, # begins a comment. */
final class Resource {
    private Resource() {}

    static List<String> lines(String name) throws IOException {
        try (InputStream in = Resource.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
        }
    }
}
