// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.population;

import java.util.List;

/** The values of a row, in the order of the table's columns. */
record Row(List<Object> values) {
    static Row of(Object... values) {
        return new Row(List.of(values));
    }
}
