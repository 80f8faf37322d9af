// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.document;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A Markdown file of the repository.
 *
 * @param name its path below the repository's root, with slashes
 * @param lines with their numbers and kinds, in order
 */
record Document(String name, List<Line> lines) {
    private static final Pattern FENCE = Pattern.compile("\\s*```(\\w*)\\s*");

    /** What a line belongs to. */
    enum Kind {
        PROSE,
        TABLE,
        HEADING,
        CODE
    }

    /**
     * One line.
     *
     * @param number from 1
     * @param block of {@link Kind#CODE}: the language and the number of the line that opens the block; otherwise empty
     */
    record Line(int number, Kind kind, String block, String text) {}

    /** Reads all documents of the repository. */
    static List<Document> all() throws IOException {
        return files().entrySet().stream()
                .filter(file -> file.getKey().endsWith(".md"))
                .map(file -> read(file.getKey(), file.getValue()))
                .toList();
    }

    /** Reads one document. */
    static Document of(String name) {
        return read(name, root().resolve(name));
    }

    private static Document read(String name, Path file) {
        List<Line> lines = new ArrayList<>();
        String block = "";
        try {
            for (String text : Files.readAllLines(file)) {
                int number = lines.size() + 1;
                var fence = FENCE.matcher(text);
                if (fence.matches()) {
                    lines.add(new Line(number, Kind.CODE, "fence", text));
                    block = block.isEmpty() ? fence.group(1) + ":" + number : "";
                } else {
                    lines.add(new Line(number, block.isEmpty() ? kind(text) : Kind.CODE, block, text));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Document(name, lines);
    }

    private static Kind kind(String text) {
        if (text.startsWith("|")) {
            return Kind.TABLE;
        }
        return text.startsWith("#") ? Kind.HEADING : Kind.PROSE;
    }

    /** Returns the text of each block of code in a language; "" for blocks that name none. */
    List<String> code(String language) {
        return lines.stream()
                .filter(line -> line.block().startsWith(language + ":"))
                .collect(Collectors.groupingBy(
                        Line::block, LinkedHashMap::new, Collectors.mapping(Line::text, Collectors.joining("\n"))))
                .values()
                .stream()
                .toList();
    }

    /** Returns the anchors of the headings, as code hosts derive them. */
    Set<String> anchors() {
        return lines.stream()
                .filter(line -> line.kind() == Kind.HEADING)
                .map(line -> line.text()
                        .replaceFirst("^#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    /** Returns the files of the repository by their paths below its root, without what a build makes. */
    static SortedMap<String, Path> files() throws IOException {
        Path root = root();
        SortedMap<String, Path> files = new TreeMap<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                return name.equals("target") || name.equals(".git")
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                files.put(root.relativize(file).toString().replace(File.separatorChar, '/'), file);
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }

    /** Returns the repository's root: tests run in the folder of their module. */
    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("system-model"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
