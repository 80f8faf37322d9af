// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import io.multimed.protocol.value.Column;
import java.sql.ResultSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes result sets of rows that the driver has in memory, for {@link java.sql.Array#getResultSet()}. */
public interface ArrayRows {
    /** Returns a result set of rows whose values have classes of the protocol. */
    ResultSet resultSet(List<Column> columns, List<@Nullable Object[]> rows);
}
