// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.extraction;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Change.LargeColumn;
import io.multimed.engine.writeset.Change.LargeRowChange;
import io.multimed.engine.writeset.Change.RelationChange;
import io.multimed.engine.writeset.Change.RowChange;
import io.multimed.engine.writeset.Change.StatementChange;
import io.multimed.engine.writeset.Change.Truncation;
import io.multimed.engine.writeset.Relation;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses the text that the triggers write: for each change its operation, the relation, lengths in bytes, and then the
 * texts themselves, for example {@code U16403 5 5 (1,a)(1,b)}. Lengths replace separators, because a row may contain
 * any character. The scripts of triggers-sql describe each operation.
 */
public final class CapturedChanges {
    private final byte[] text;
    /** Index of the next byte. */
    private int at;

    private CapturedChanges(byte[] text) {
        this.text = text;
    }

    /**
     * Returns all changes of one piece of captured text.
     *
     * @param text in UTF-8
     * @throws IllegalStateException if the text does not have this format: the triggers are of another version
     */
    public static List<Change> parse(byte[] text) {
        CapturedChanges captured = new CapturedChanges(text);
        List<Change> changes = new ArrayList<>();
        while (captured.at < text.length) {
            changes.add(captured.next());
        }
        return changes;
    }

    private Change next() {
        char operation = (char) text[at++];
        return switch (operation) {
            case 'I' -> inserted(number());
            case 'U' -> updated(number());
            case 'D' -> deleted(number());
            case 'L' -> large(number());
            case 'T' -> new Truncation(number());
            case 'X' -> statement();
            case 'R' -> relation(number());
            default -> throw unreadable("operation '" + operation + "'");
        };
    }

    private RowChange inserted(long relation) {
        return new RowChange(relation, null, word(length()));
    }

    private RowChange updated(long relation) {
        int before = length();
        int after = length();
        return new RowChange(relation, word(before), word(after));
    }

    private RowChange deleted(long relation) {
        return new RowChange(relation, word(length()), null);
    }

    /** Reads a large row: the operation, both versions of the row, and four words for each of its large columns. */
    private LargeRowChange large(long relation) {
        int words = length();
        String operation = word(length());
        String before = word(length());
        String after = word(length());
        List<LargeColumn> columns = new ArrayList<>();
        for (int i = 3; i < words; i += 4) {
            columns.add(new LargeColumn(word(length()), word(length()), word(length()), word(length())));
        }
        return new LargeRowChange(
                relation, operation.equals("I") ? null : before, operation.equals("D") ? null : after, columns);
    }

    /** Reads a statement: the search_path and the text. */
    private StatementChange statement() {
        int path = length();
        int sql = length();
        return new StatementChange(word(path), word(sql));
    }

    /** Reads the form of a relation: number of words, then schema, table, positions of the key and columns. */
    private RelationChange relation(long id) {
        int words = length();
        String schema = word(length());
        String table = word(length());
        List<Integer> keys = positions(word(length()));
        List<String> columns = new ArrayList<>();
        for (int i = 3; i < words; i++) {
            columns.add(word(length()));
        }
        return new RelationChange(new Relation(id, schema, table, columns, keys));
    }

    /** Parses the positions of the key's columns; an empty text means that there is no key. */
    private static List<Integer> positions(String commaSeparated) {
        List<Integer> positions = new ArrayList<>();
        if (!commaSeparated.isEmpty()) {
            for (String position : commaSeparated.split(",", -1)) {
                positions.add(Integer.valueOf(position));
            }
        }
        return positions;
    }

    private String word(int length) {
        if (length > text.length - at) {
            throw unreadable("length " + length);
        }
        String word = new String(text, at, length, UTF_8);
        at += length;
        return word;
    }

    private int length() {
        return Math.toIntExact(number());
    }

    /** Reads digits up to a blank, and skips the blank. */
    private long number() {
        long value = 0;
        for (; at < text.length && text[at] != ' '; at++) {
            int digit = text[at] - '0';
            if (digit < 0 || digit > 9) {
                throw unreadable("number");
            }
            value = value * 10 + digit;
        }
        at++;
        return value;
    }

    private IllegalStateException unreadable(String what) {
        return new IllegalStateException(
                "captured change has an unreadable %s near byte %d: the triggers on the master are not of this version"
                        .formatted(what, at));
    }
}
