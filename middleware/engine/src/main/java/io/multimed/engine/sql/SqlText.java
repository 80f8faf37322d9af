// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A text of SQL, or one statement of it, with its words and signs.
 *
 * @param whole the text that the client wrote, with all its statements
 * @param tokens in order; their positions refer to the whole text
 */
public record SqlText(String whole, List<Token> tokens) {
    /** Returns the text from the first token to the last. */
    public String text() {
        return tokens.isEmpty()
                ? ""
                : whole.substring(
                        tokens.get(0).begin(), tokens.get(tokens.size() - 1).end());
    }

    /** Returns a token as the client wrote it. */
    public String text(Token token) {
        return whole.substring(token.begin(), token.end());
    }

    /** Returns all words and signs, except for semicolons, with blanks between them. */
    public String words() {
        return tokens.stream()
                .filter(token -> !token.isSign(";"))
                .map(Token::text)
                .collect(Collectors.joining(" "));
    }

    /** Returns the word or sign at an index; empty behind the end. */
    public String word(int index) {
        return index < tokens.size() ? tokens.get(index).text() : "";
    }

    public boolean isAt(int index, String word) {
        return index < tokens.size() && tokens.get(index).is(word);
    }

    public boolean isSignAt(int index, String sign) {
        return index < tokens.size() && tokens.get(index).isSign(sign);
    }

    public boolean begins(String... words) {
        for (int i = 0; i < words.length; i++) {
            if (!isAt(i, words[i])) {
                return false;
            }
        }
        return true;
    }

    public boolean has(String word) {
        return tokens.stream().anyMatch(token -> token.is(word));
    }

    /** Returns whether any of the words or signs is in the text; quoted names do not count. */
    public boolean hasAny(Set<String> words) {
        return tokens.stream()
                .anyMatch(token -> token.kind() != Token.Kind.QUOTED_NAME && words.contains(token.text()));
    }

    /** Returns the number of placeholders of a prepared statement. */
    public int placeholders() {
        return (int) tokens.stream().filter(token -> token.isSign("?")).count();
    }

    /**
     * Returns the statements between the semicolons, without empty ones; this text itself if it contains one statement
     * at most.
     */
    public List<SqlText> statements() {
        List<SqlText> statements = new ArrayList<>();
        int begin = 0;
        for (int i = 0; i <= tokens.size(); i++) {
            if (i == tokens.size() || tokens.get(i).isSign(";")) {
                if (i > begin) {
                    statements.add(new SqlText(whole, tokens.subList(begin, i)));
                }
                begin = i + 1;
            }
        }
        return statements.size() > 1 ? statements : List.of(this);
    }
}
