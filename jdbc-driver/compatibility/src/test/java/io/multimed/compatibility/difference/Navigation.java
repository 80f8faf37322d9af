// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Moves in a scrollable result, and records the position after each step. */
final class Navigation {
    private static final Map<String, Call<ResultSet>> STEPS = new LinkedHashMap<>();

    static {
        STEPS.put("isBeforeFirst", ResultSet::isBeforeFirst);
        STEPS.put("next", ResultSet::next);
        STEPS.put("isFirst", ResultSet::isFirst);
        STEPS.put("previous", ResultSet::previous);
        STEPS.put("last", ResultSet::last);
        STEPS.put("isLast", ResultSet::isLast);
        STEPS.put("next after last", ResultSet::next);
        STEPS.put("isAfterLast", ResultSet::isAfterLast);
        STEPS.put("previous after last", ResultSet::previous);
        STEPS.put("first", ResultSet::first);
        STEPS.put("absolute 2", rows -> rows.absolute(2));
        STEPS.put("absolute -1", rows -> rows.absolute(-1));
        STEPS.put("absolute -99", rows -> rows.absolute(-99));
        STEPS.put("absolute 0", rows -> rows.absolute(0));
        STEPS.put("absolute 99", rows -> rows.absolute(99));
        STEPS.put("relative -1", rows -> rows.relative(-1));
        STEPS.put("relative 0", rows -> rows.relative(0));
        STEPS.put("relative 1", rows -> rows.relative(1));
        STEPS.put("beforeFirst", rows -> {
            rows.beforeFirst();
            return "done";
        });
        STEPS.put("afterLast", rows -> {
            rows.afterLast();
            return "done";
        });
        STEPS.put("type", ResultSet::getType);
        STEPS.put("concurrency", ResultSet::getConcurrency);
        STEPS.put("fetch direction", ResultSet::getFetchDirection);
    }

    private Navigation() {}

    static String of(ResultSet rows) throws SQLException {
        StringBuilder text = new StringBuilder();
        STEPS.forEach((name, step) -> text.append(name)
                .append(' ')
                .append(Rendering.outcome(rows, step))
                .append(" at ")
                .append(Rendering.outcome(rows, ResultSet::getRow))
                .append(' ')
                .append(Rendering.outcome(rows, same -> same.getObject(1)))
                .append('\n'));
        return text.toString();
    }
}
