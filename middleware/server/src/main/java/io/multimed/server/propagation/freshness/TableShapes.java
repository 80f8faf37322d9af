// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import io.multimed.engine.sql.TableNames;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The shapes in which statements read one table. Their number is bounded; further statements share coarser shapes.
 * Changed under the lock of {@link TableScns}.
 */
final class TableShapes {
    /** Each change of a row examines the shapes of the table. */
    private static final int MAX_SHAPES = 64;

    private final List<TableNames.Column> columns;

    /** Replaced when a shape is added. */
    private volatile List<ReadShape> shapes = List.of();

    TableShapes(List<TableNames.Column> columns) {
        this.columns = columns;
    }

    List<TableNames.Column> columns() {
        return columns;
    }

    /** Returns the position of a column; -1 if the table has none, or several whose names differ in case. */
    int position(String column) {
        int found = -1;
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equals(column)) {
                if (found >= 0) {
                    return -1;
                }
                found = i;
            }
        }
        return found;
    }

    boolean has(String column) {
        return columns.stream().anyMatch(each -> each.name().equals(column));
    }

    /**
     * Returns the shape with this form, or with one that includes it.
     *
     * @param since as in {@link ReadShape}
     * @param mayHaveKey whether a new shape may have a key, which takes memory
     */
    ReadShape shape(ReadShape.Form form, long since, boolean mayHaveKey) {
        ReadShape present = find(form);
        if (present != null) {
            return present;
        }
        if (form.hasKey() && !mayHaveKey) {
            return shape(form.withoutKey(), since, false);
        }
        if (shapes.size() >= MAX_SHAPES && !form.equals(ReadShape.Form.WHOLE)) {
            return shape(ReadShape.Form.WHOLE, since, false);
        }
        ReadShape added = new ReadShape(form, since);
        List<ReadShape> all = new ArrayList<>(shapes);
        all.add(added);
        shapes = List.copyOf(all);
        return added;
    }

    private @Nullable ReadShape find(ReadShape.Form form) {
        for (ReadShape shape : shapes) {
            if (shape.form().equals(form)) {
                return shape;
            }
        }
        return null;
    }

    int keyed() {
        return (int) shapes.stream().filter(shape -> shape.form().hasKey()).count();
    }

    boolean isEmpty() {
        return shapes.isEmpty();
    }

    void discard() {
        shapes.forEach(ReadShape::discard);
    }

    void changedAll(long scn) {
        shapes.forEach(shape -> shape.changedAll(scn));
    }

    /** Records the change of a row, as {@link ReadShape#changed}. */
    void changed(@Nullable List<@Nullable String> before, @Nullable List<@Nullable String> after, long scn) {
        if (fits(before) && fits(after)) {
            shapes.forEach(shape -> shape.changed(before, after, scn));
        } else {
            changedAll(scn);
        }
    }

    private boolean fits(@Nullable List<@Nullable String> row) {
        return row == null || row.size() == columns.size();
    }
}
