// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.statement;

import io.multimed.protocol.statement.GeneratedKeys;
import java.sql.Statement;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Converts the three ways in which applications request generated keys: by a flag, by names of columns, or by indexes
 * of columns.
 */
public final class RequestedKeys {
    private RequestedKeys() {}

    public static GeneratedKeys of(int flag) {
        return flag == Statement.RETURN_GENERATED_KEYS ? GeneratedKeys.ALL : GeneratedKeys.NONE;
    }

    public static GeneratedKeys of(String @Nullable [] columns) {
        return columns == null || columns.length == 0 ? GeneratedKeys.NONE : GeneratedKeys.named(List.of(columns));
    }

    public static GeneratedKeys of(int @Nullable [] columns) {
        return columns == null || columns.length == 0
                ? GeneratedKeys.NONE
                : GeneratedKeys.numbered(IntStream.of(columns).boxed().toList());
    }
}
