// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Counts failures, and keeps the first different messages. Thread-safe. */
final class Errors {
    private static final int KEPT = 3;

    private long count;
    private final Set<String> texts = new LinkedHashSet<>();

    synchronized void add(SQLException failure) {
        add(text(failure));
    }

    synchronized void add(String text) {
        count++;
        if (texts.size() < KEPT) {
            texts.add(text);
        }
    }

    synchronized long count() {
        return count;
    }

    synchronized List<String> texts() {
        return new ArrayList<>(texts);
    }

    /** Returns the message in one line. */
    static String text(SQLException failure) {
        String message = String.valueOf(failure.getMessage()).strip().replaceAll("\\s*\\R\\s*", " ");
        return "%s (SQLState %s)".formatted(message, failure.getSQLState());
    }
}
