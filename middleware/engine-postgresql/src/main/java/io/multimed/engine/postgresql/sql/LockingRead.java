// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes queries that end with one locking clause for all of their tables: {@code FOR UPDATE}, {@code FOR NO KEY
 * UPDATE}, {@code FOR SHARE} or {@code FOR KEY SHARE}, with {@code NOWAIT} or {@code SKIP LOCKED}.
 */
final class LockingRead {
    private static final List<List<String>> CLAUSES = List.of(
            List.of("FOR", "UPDATE"),
            List.of("FOR", "NO", "KEY", "UPDATE"),
            List.of("FOR", "SHARE"),
            List.of("FOR", "KEY", "SHARE"));

    private static final List<List<String>> WAITS = List.of(List.of("NOWAIT"), List.of("SKIP", "LOCKED"));

    private LockingRead() {}

    /** Returns the query without its locking clause; null if it does not end with one. */
    static @Nullable SqlText withoutLocks(SqlText query) {
        List<Token> tokens = query.tokens();
        while (!tokens.isEmpty() && tokens.get(tokens.size() - 1).isSign(";")) {
            tokens = tokens.subList(0, tokens.size() - 1);
        }
        List<Token> waits = without(tokens, WAITS);
        List<Token> read = without(waits == null ? tokens : waits, CLAUSES);
        return read == null || read.isEmpty() ? null : new SqlText(query.whole(), read);
    }

    private static @Nullable List<Token> without(List<Token> tokens, List<List<String>> ends) {
        for (List<String> end : ends) {
            int begin = tokens.size() - end.size();
            if (begin >= 0 && isAt(tokens, begin, end)) {
                return tokens.subList(0, begin);
            }
        }
        return null;
    }

    private static boolean isAt(List<Token> tokens, int begin, List<String> words) {
        for (int i = 0; i < words.size(); i++) {
            if (!tokens.get(begin + i).is(words.get(i))) {
                return false;
            }
        }
        return true;
    }
}
