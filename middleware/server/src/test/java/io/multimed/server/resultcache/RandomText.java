// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.resultcache;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The text of a query that is written from its beginning to its end, with the kinds of its parameters. */
final class RandomText {
    private final Random random;
    private final StringBuilder sql = new StringBuilder();
    private final List<Values> parameters = new ArrayList<>();

    RandomText(Random random) {
        this.random = random;
    }

    RandomText add(String text) {
        sql.append(text);
        return this;
    }

    /** Adds a parameter or a literal of a kind. */
    RandomText addValue(Values kind) {
        if (random.nextInt(10) < 3) {
            return add(kind.literal(random));
        }
        parameters.add(kind == Values.INTEGER && random.nextInt(6) == 0 ? Values.NUMBER : kind);
        return add("?");
    }

    RandomRead read(boolean isOrdered) {
        return new RandomRead(sql.toString(), List.copyOf(parameters), isOrdered);
    }
}
