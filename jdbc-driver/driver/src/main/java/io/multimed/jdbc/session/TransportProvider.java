// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.jdbc.support.SqlStates;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.ServiceLoader;

/** Provides dispatchers that run within this process, for URLs of the form {@code jdbc:multimed:embedded:FILE}. */
public interface TransportProvider {
    /**
     * Returns the database of a System Model.
     *
     * @param model the file; empty for the default model, of engines that are started in this process
     * @throws SQLException 08001 if the file cannot be read, or the model is wrong
     */
    String database(String model) throws SQLException;

    /**
     * Opens a connection to the dispatcher of a System Model, which the first connection starts.
     *
     * @throws SQLException 08001 if the dispatcher cannot start
     */
    Transport connect(String model) throws SQLException;

    /**
     * Returns the provider.
     *
     * @throws SQLException 08001 if there is none: the driver alone has no dispatcher
     */
    static TransportProvider find() throws SQLException {
        Iterator<TransportProvider> found = ServiceLoader.load(
                        TransportProvider.class, TransportProvider.class.getClassLoader())
                .iterator();
        if (!found.hasNext()) {
            throw new SQLException(
                    "jdbc:multimed:embedded: runs the dispatcher in this process: add the dependency io.multimed:multimed-embedded, in the version of the driver",
                    SqlStates.CANNOT_CONNECT);
        }
        return found.next();
    }
}
