// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.yaml;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/** Describes syntax errors of YAML, with the line of the error and the line where the enclosing construct began. */
public final class YamlSyntaxProblems {
    private YamlSyntaxProblems() {}

    /** Returns the problem that a failure of the YAML library describes. */
    public static Problem problem(String file, String yaml, YAMLException failure) {
        if (failure instanceof MarkedYAMLException marked) {
            return problem(file, line(marked.getProblemMark()), context(marked) + marked.getProblem());
        }
        if (failure instanceof ReaderException unreadable) {
            return new Problem(
                    file,
                    lineAt(yaml, unreadable.getPosition()),
                    "",
                    "contains the character U+%04X, which YAML does not allow".formatted(unreadable.getCodePoint()),
                    "a System Model is a text file in UTF-8");
        }
        return problem(file, 1, failure.getMessage());
    }

    private static Problem problem(String file, int line, @Nullable String fault) {
        return new Problem(file, line, "", "is not YAML: " + fault, "");
    }

    private static String context(MarkedYAMLException failure) {
        if (failure.getContext() == null) {
            return "";
        }
        Mark begin = failure.getContextMark();
        return failure.getContext() + (begin == null ? "" : " (line %d)".formatted(line(begin))) + ", ";
    }

    private static int line(@Nullable Mark mark) {
        return mark == null ? 1 : mark.getLine() + 1;
    }

    private static int lineAt(String text, int position) {
        int end = Math.min(Math.max(position, 0), text.length());
        return 1 + (int) text.substring(0, end).chars().filter(c -> c == '\n').count();
    }
}
