// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.embedded;

import io.multimed.jdbc.session.Transport;
import io.multimed.jdbc.session.TransportProvider;
import java.sql.SQLException;

/** Opens connections to the dispatchers of this process. */
public final class EmbeddedProvider implements TransportProvider {
    @Override
    public String database(String model) throws SQLException {
        return EmbeddedDispatcher.of(model).database();
    }

    @Override
    public Transport connect(String model) throws SQLException {
        return EmbeddedDispatcher.of(model).connect();
    }
}
