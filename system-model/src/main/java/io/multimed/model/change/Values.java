// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.change;

import io.multimed.model.MaterializedViewSpec;
import io.multimed.model.Tables;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes values of the System Model as the model's file does. */
final class Values {
    private static final Pattern PASSWORD = Pattern.compile("(password=)[^&;]*", Pattern.CASE_INSENSITIVE);

    private Values() {}

    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static String duration(Duration duration) {
        long millis = duration.toMillis();
        return millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
    }

    static String tables(Tables tables) {
        return tables.all() ? "all" : String.join(", ", new TreeSet<>(tables.names()));
    }

    static String views(List<MaterializedViewSpec> views) {
        return views.stream()
                .map(each -> each.indexes().isEmpty()
                        ? each.view()
                        : each.view() + " (" + String.join("; ", each.indexes()) + ")")
                .collect(Collectors.joining(", "));
    }

    static String optional(Optional<?> value) {
        return value.map(Object::toString).orElse("");
    }

    static String optional(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    /** Returns a JDBC URL without the password that it may contain. */
    static String url(String url) {
        return PASSWORD.matcher(url).replaceAll("$1********");
    }

    /** Returns the password that a JDBC URL contains, with its key; empty if there is none. */
    static String passwordIn(String url) {
        Matcher found = PASSWORD.matcher(url);
        return found.find() ? found.group() : "";
    }
}
