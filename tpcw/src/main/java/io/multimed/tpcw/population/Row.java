package io.multimed.tpcw.population;

import java.util.List;

/** One row's values, in the order of the table's columns. */
record Row(List<Object> values) {
    static Row of(Object... values) {
        return new Row(List.of(values));
    }
}
