package io.multimed.engine.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A text of SQL, or one statement of it, with its words and signs.
 *
 * @param whole as the client wrote it, with all statements that it has
 * @param tokens in order; their places are those in the whole
 */
public record SqlText(String whole, List<Token> tokens) {
    /** From the first word to the last. */
    public String text() {
        return tokens.isEmpty()
                ? ""
                : whole.substring(
                        tokens.get(0).begin(), tokens.get(tokens.size() - 1).end());
    }

    /** A token as the client wrote it. */
    public String text(Token token) {
        return whole.substring(token.begin(), token.end());
    }

    /** All words and signs with blanks between them, without semicolons. */
    public String words() {
        return tokens.stream()
                .filter(token -> !token.isSign(";"))
                .map(Token::text)
                .collect(Collectors.joining(" "));
    }

    /** The word or sign at a place; empty behind the end. */
    public String word(int index) {
        return index < tokens.size() ? tokens.get(index).text() : "";
    }

    /** Whether the word stands at that place. */
    public boolean isAt(int index, String word) {
        return index < tokens.size() && tokens.get(index).is(word);
    }

    /** Whether the token at this index is this sign. */
    public boolean isSignAt(int index, String sign) {
        return index < tokens.size() && tokens.get(index).isSign(sign);
    }

    /** Whether the text begins with these words. */
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

    /** Whether any of the words or signs is in the text; names in quotes are none. */
    public boolean hasAny(Set<String> words) {
        return tokens.stream()
                .anyMatch(token -> token.kind() != Token.Kind.QUOTED_NAME && words.contains(token.text()));
    }

    /** The placeholders of a prepared statement. */
    public int placeholders() {
        return (int) tokens.stream().filter(token -> token.isSign("?")).count();
    }

    /** The statements between the semicolons, without empty ones; a text with one statement at most is its own only statement. */
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
