// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.writeset.Relation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The definition of a table at one time: all that is needed to read the table's captured rows, and to create the table
 * on a satellite. An altered table has another form with another id, so that a row is always read by the form under
 * which it was captured. Stored in {@code multimed.relation}.
 *
 * @param id the number in the names of the triggers, and in the captured rows
 * @param columns in the order of a row's text
 * @param keyPositions positions of the primary key's columns; empty if there is no key
 * @param body the text after the table's name in the satellites' CREATE TABLE: columns without defaults and
 *     expressions, keys without foreign keys
 */
public record TableForm(
        long id, String schema, String table, List<Column> columns, List<Integer> keyPositions, String body) {
    /** Layout of the encoded form: schema, table, body and key, then name, kind and character set of each column. */
    private static final int WORDS_PER_COLUMN = 3;

    private static final int WORDS_BEFORE = 4;

    /** Returns the table as the middleware knows it. */
    public Relation relation() {
        return new Relation(
                id, schema, table, columns.stream().map(Column::name).toList(), keyPositions);
    }

    public boolean hasKey() {
        return !keyPositions.isEmpty();
    }

    public TableForm withId(long other) {
        return new TableForm(other, schema, table, columns, keyPositions, body);
    }

    /**
     * Returns the arguments of CONCAT that form the text of a whole row.
     *
     * @param row NEW, OLD or the alias of a table
     */
    public String capturedRow(String row) {
        return columns.stream().map(column -> column.captured(row)).collect(Collectors.joining(", "));
    }

    public String columnNames() {
        return columns.stream().map(column -> Names.identifier(column.name())).collect(Collectors.joining(", "));
    }

    /** Encodes the form without its id, for {@link #decode}. Equal forms have equal encodings. */
    public byte[] encode() {
        List<String> words = new ArrayList<>(List.of(
                schema, table, body, keyPositions.stream().map(String::valueOf).collect(Collectors.joining(" "))));
        for (Column column : columns) {
            words.addAll(List.of(column.name(), column.kind().name(), column.characterSet()));
        }
        return RowText.of(words.stream()
                        .map(word -> new String(word.getBytes(UTF_8), ISO_8859_1))
                        .toList())
                .getBytes(ISO_8859_1);
    }

    /**
     * Decodes a stored form.
     *
     * @throws IllegalArgumentException if another version of Multimed has stored the form in another format
     */
    public static TableForm decode(long id, byte[] encoded) {
        List<String> words = RowText.values(new String(encoded, ISO_8859_1)).stream()
                .map(word -> new String(Objects.requireNonNull(word).getBytes(ISO_8859_1), UTF_8))
                .toList();
        List<Column> columns = IntStream.iterate(WORDS_BEFORE, at -> at < words.size(), at -> at + WORDS_PER_COLUMN)
                .mapToObj(at -> new Column(words.get(at), ColumnKind.valueOf(words.get(at + 1)), words.get(at + 2)))
                .toList();
        List<Integer> key = words.get(3).isEmpty()
                ? List.of()
                : List.of(words.get(3).split(" ")).stream()
                        .map(Integer::valueOf)
                        .toList();
        return new TableForm(id, words.get(0), words.get(1), columns, key, words.get(2));
    }
}
