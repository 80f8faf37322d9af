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
 * A table in one of its forms: what is needed to read its captured rows, and to make it on a satellite. A table that is altered has another form, with another id, so
 * a row is always read by the form that it was captured in.
 *
 * @param columns in the order of a row's text
 * @param keyPositions places of the primary key's columns; empty where there is no key
 * @param body what follows the table's name in the satellites' CREATE TABLE: columns without defaults and expressions, keys without foreign ones
 */
public record TableForm(
        long id, String schema, String table, List<Column> columns, List<Integer> keyPositions, String body) {
    private static final int WORDS_PER_COLUMN = 3;
    private static final int WORDS_BEFORE = 4;

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

    /** What gives the text of a whole row, as CONCAT's arguments. */
    public String capturedRow(String row) {
        return columns.stream().map(column -> column.captured(row)).collect(Collectors.joining(", "));
    }

    /** The columns' names in SQL. */
    public String columnNames() {
        return columns.stream().map(column -> Names.identifier(column.name())).collect(Collectors.joining(", "));
    }

    /** For {@link #decode}; without the id. */
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
