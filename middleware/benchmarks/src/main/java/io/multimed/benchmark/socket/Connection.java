// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.socket;

import java.io.IOException;

/** The client's end of a connection. Used by one thread. */
interface Connection extends AutoCloseable {
    /** Size of a request in bytes: about that of a prepared read. */
    int REQUEST = 100;

    /** Size of a response in bytes: about that of one row. */
    int RESPONSE = 200;

    /** Sends a request and waits for its response. */
    void roundTrip() throws IOException;

    @Override
    void close() throws IOException;
}
