// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** Reads lists of inputs next to the tests: one per line; # begins a comment. */
final class Resource {
    private Resource() {}

    static List<String> lines(Family family, String name) throws IOException {
        return lines(family.folder() + "/" + name);
    }

    static List<String> lines(String path) throws IOException {
        try (InputStream in = Resource.class.getResourceAsStream(path)) {
            return new String(in.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
        }
    }
}
