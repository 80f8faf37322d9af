// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine;

import io.multimed.jdbc.value.ArrayRows;
import java.sql.SQLException;
import java.sql.Statement;

/** Shows a connection to the conversions of an engine family. */
public interface ConversionContext extends ArrayRows {
    Statement createStatement() throws SQLException;

    boolean inTransaction();
}
