// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.archive;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The instructions of {@code deploy/docker/Dockerfile}.
 *
 * @param instructions each with its word and its argument, without comments and line continuations
 */
record Dockerfile(List<String> instructions) {
    static Dockerfile read() throws IOException {
        String text = Files.readString(Path.of("../docker/Dockerfile"))
                .replaceAll("(?m)^ *#.*\\R", "")
                .replaceAll("\\\\\\R\\s*", "");
        return new Dockerfile(text.lines().filter(line -> !line.isBlank()).toList());
    }

    /** Returns the arguments of all instructions with this word. */
    List<String> all(String word) {
        return instructions.stream()
                .filter(line -> line.startsWith(word + " "))
                .map(line -> line.substring(word.length() + 1).strip())
                .toList();
    }

    /** Returns the argument of the only instruction with this word. */
    String one(String word) {
        assertThat(all(word)).as("instructions " + word).hasSize(1);
        return all(word).get(0);
    }

    /** Returns the command that a container runs without arguments. */
    List<String> command() throws IOException {
        return Stream.concat(words(one("ENTRYPOINT")).stream(), words(one("CMD")).stream())
                .toList();
    }

    /** Returns the command that checks the container. */
    List<String> healthCheck() throws IOException {
        return words(one("HEALTHCHECK").replaceFirst("^.*?CMD ", ""));
    }

    private static List<String> words(String json) throws IOException {
        List<String> words = new ArrayList<>();
        new ObjectMapper().readTree(json).forEach(word -> words.add(word.asText()));
        assertThat(words).isNotEmpty();
        return words;
    }
}
