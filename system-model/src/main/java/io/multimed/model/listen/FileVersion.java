// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.listen;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The state of files that the model names, and that may change during operation: two equal states mean that the files
 * have not changed.
 *
 * @param text time of the last change and size of each file
 */
public record FileVersion(String text) {
    /** Returns the present state. A file that cannot be read has a state, too, so that its return is noticed. */
    public static FileVersion of(List<Path> files) {
        return new FileVersion(files.stream().map(FileVersion::of).collect(Collectors.joining(", ")));
    }

    private static String of(Path file) {
        try {
            return Files.getLastModifiedTime(file) + " " + Files.size(file);
        } catch (IOException e) {
            return "cannot be read";
        }
    }
}
