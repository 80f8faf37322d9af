// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.SortedMap;
import java.util.TreeMap;

/** Finds the source files of all modules of this project, without the results of builds. */
public final class Sources {
    private Sources() {}

    /** Returns the files by their names below the root, with slashes. */
    public static SortedMap<String, Path> files() throws IOException {
        Path root = root();
        SortedMap<String, Path> files = new TreeMap<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                return name.equals("target") || name.startsWith(".")
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

    /** Tests run in their module's folder. */
    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("system-model"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
