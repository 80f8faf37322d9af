// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import java.util.ArrayList;
import java.util.List;

/** Numbers of which a test makes rows, in SQL that every engine has. */
public final class Series {
    private static final String DIGIT =
            "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4"
                    + " UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";

    private Series() {}

    /** What stands behind FROM: the numbers from 1 to {@code count}, at least 2, as {@code i}. */
    public static String to(int count) {
        StringBuilder sum = new StringBuilder("1");
        List<String> digits = new ArrayList<>();
        for (int place = 1, i = 0; place < count; place *= 10, i++) {
            sum.append(" + d%d.d * %d".formatted(i, place));
            digits.add("%s AS d%d".formatted(DIGIT, i));
        }
        return "(SELECT %s AS i FROM %s) AS s WHERE s.i <= %d"
                .formatted(sum, String.join(" CROSS JOIN ", digits), count);
    }
}
